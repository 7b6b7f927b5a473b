#include "ridgewatt/study/study_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/study/study_analysis.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::study {

std::vector<StudyResult> run_study(const Study& study, CommandBench& bench, StudyLog& log,
                                   const StudyRunOptions& options) {
  const auto runs = plan_study(study, options.seed);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < runs.size() && done != options.max_runs; ++i) {
    if (options.progress) options.progress(i, runs[i]);
    if (log.has(runs[i])) continue;
    log.add(runs[i], bench.run(study, runs[i].cell));
    for (const auto& note : bench.notes()) log.add_note(note);
    ++done;
  }
  bench.restore();
  return log.results();
}

std::string runs_text(std::size_t done, std::size_t planned, const std::string& file) {
  return fmt::format("{} of {}; {}", done, counted(planned, "run"),
                     file.empty() ? "to continue later, keep the runs with --store FILE"
                                  : "repeat the command to continue");
}

StudyOutcome conduct_study(Study& study, CommandBench& bench, const std::string& device,
                           const std::string& file, const StudyRunOptions& options) {
  StudyOutcome outcome{.provenance = bench.provenance(), .where = device, .board = device};
  outcome.remarks = bench.remarks();
  StudyLog log(file.empty() ? ":memory:" : file, study, device, options.seed);
  outcome.planned = plan_study(study, options.seed).size();
  outcome.results = run_study(study, bench, log, options);
  for (const auto& note : log.notes()) outcome.remarks.push_back("note of the program: " + note);
  for (const auto& remark : measure::skipped_marks_remarks(bench.malformed_marks())) {
    outcome.remarks.push_back(remark);
  }
  if (outcome.results.size() < outcome.planned) {
    outcome.remarks.push_back(runs_text(outcome.results.size(), outcome.planned, file));
  }
  use_samples(study, outcome.results);
  const bool power = std::ranges::any_of(
      outcome.results, [](const auto& result) { return result.responses.contains("power_w"); });
  if (!power) {
    outcome.remarks.emplace_back(
        "power and energy are not known, because no power sensor could be read");
  }
  return outcome;
}

StudyOutcome outcome_of_sweep(Study& study, const std::string& path, const std::string& workload) {
  const Sweep sweep = choose_sweep(read_sweeps(path), workload, path);
  const QualityReport quality = check_quality(sweep);
  StudyOutcome outcome{.provenance = sweep.origin_of(Provenance::kReplayed).provenance,
                       .where = path,
                       .workload = sweep.workload,
                       .kind = sweep.kind,
                       .board = sweep.board};
  std::vector<std::string> left_out;
  outcome.results = replay_study(study, trusted_rows(sweep, quality), left_out);
  for (const auto& factor : left_out) {
    outcome.remarks.push_back(
        fmt::format("factor '{}' is left out: the sweep does not vary it", factor));
  }
  if (const auto flagged = static_cast<std::int64_t>(quality.flagged_rows()); flagged > 0) {
    outcome.remarks.push_back(counted(flagged, "flagged row") +
                              (flagged == 1 ? " is left out" : " are left out"));
  }
  outcome.remarks.emplace_back(
      "the intervals show how effects vary over the other settings of the sweep");
  return outcome;
}

}  // namespace ridgewatt::study
