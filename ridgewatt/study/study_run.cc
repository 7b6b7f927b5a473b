#include "ridgewatt/study/study_run.h"

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

}  // namespace ridgewatt::study
