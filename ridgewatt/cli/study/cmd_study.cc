// ridgewatt study: a designed experiment from a file, on a board, a fake board or a sweep.
#include <fmt/format.h>

#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/companion.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/report/study_report.h"
#include "ridgewatt/study/study_run.h"

namespace ridgewatt::cli {
namespace {

struct StudyCommand {
  std::string name;
  DeviceOptions device;
  std::string replay;
  std::string workload;
  std::string database;
  FigureFiles figures;
  study::StudyChanges changes;
  std::int64_t max_runs = -1;
  double rate_hz = 100;
  double settle_s = 1;
  platform::JetsonModeControl::Options control;
  measure::CacheOptions cache;
  bool plan = false;
  bool show = false;
};

// Performs the remaining runs of the plan. With --plan, prints the plan and returns nullopt.
std::optional<study::StudyOutcome> measure(const Context& context, const StudyCommand& options,
                                           study::Study& study) {
  const platform::LocalDevice device = options.device.open(context);
  if (!options.plan) check_table_options(context, report::study_result({}));
  study.parameters["ridgewatt"] = own_program().string();
  study.parameters["device"] = options.device.device;
  study::CommandBench bench(device, {options.rate_hz, options.settle_s, options.device.state_folder,
                                     options.control.full_fan, options.cache});
  bench.prepare(study);
  if (options.plan) {
    print(context, report::study_plan_table(study, context.seed));
    for (const auto& text : bench.remarks()) remark(context, text);
    return std::nullopt;
  }
  const std::size_t planned = study::plan_study(study, context.seed).size();
  Progress progress("study " + study.name, planned, context.quiet);
  InterruptNote note;
  const auto on_run = [&](std::size_t i, const study::StudyRun& run) {
    note.set(study::runs_text(i, planned, options.database));
    progress.update(i, fmt::format("block {}, {}", run.block, fmt::join(run.cell, ", ")));
  };
  return study::conduct_study(study, bench, device.name, options.database,
                              {context.seed, options.max_runs, on_run});
}

void show(const Context& context, const StudyCommand& options, const report::StudyReport& report) {
  const auto result = report::study_result(report);
  check_table_options(context, result);
  options.figures.write(
      [&] { return report::to_svg(report::study_figures(report), report.study.title); },
      [&] { return report::study_html(report); });
  if (context.csv()) {  // CSV contains no remarks
    for (const auto& text : report.remarks) remark(context, text);
  }
  print(context, result);
}

void check(const CLI::App& command, const StudyCommand& options) {
  if (!options.replay.empty()) {
    refuse_without_effect(command,
                          {"--device", "--sysroot", "--state-dir", "--store", "--max-runs",
                           "--sampling-hz", "--settle", "--plan", "--full-fan", "--fill-cache",
                           "--drop-cache", "--set", "--levels", "--repeats"},
                          "with --sweep", "nothing is run");
  }
  if (options.replay.empty()) refuse_without_effect(command, {"--workload"}, "without --sweep");
  if (options.show) {
    refuse_without_effect(command, {"--figures", "--plan", "--store", "--sweep"}, "with --show");
  }
  if (options.plan) refuse_without_effect(command, {"--figures"}, "with --plan");
}

void run(const Context& context, const StudyCommand& options, const CLI::App& command) {
  check(command, options);
  if (options.name.empty()) return print(context, report::studies_table(study::list_studies()));
  study::Study study = study::load_study(options.name);
  study::change_study(study, options.changes);
  if (options.show) {
    std::cout << study.text;
    return;
  }
  const auto found = options.replay.empty()
                         ? measure(context, options, study)
                         : study::outcome_of_sweep(study, options.replay, options.workload);
  if (!found) return;
  if (found->results.empty())
    throw Error("the study has no finished run yet", study.name, "run it without --max-runs");
  const auto analysis = study::analyze_study(study, found->results, !options.replay.empty());
  show(context, options, {*found, study, analysis});
}

}  // namespace

void add_study(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<StudyCommand>(
      app, context, "study", "Run a designed experiment: how factors affect time and energy",
      "ridgewatt study frequency --sweep sweep.csv --figures frequency.html", run);
  add.words("STUDY", options.name, {answer::studies},
            "Name of a shipped study, or TOML file of a study [list the shipped studies]");
  add_device_options(command, options.device);
  add.input("--sweep", options.replay, "Sweep to take the results from, in place of measuring");
  add.text("--workload", options.workload,
           std::string("Sweep to use, if the file has several: ") + kSweepNames);
  add.place("--store", options.database,
            "Database that keeps the finished runs; an interrupted study continues from it");
  options.figures.add_to(command, "the results");
  add.text("--set", options.changes.parameters, "NAME=VALUE of a parameter of the study");
  add.text("--levels", options.changes.levels,
           "FACTOR=LEVEL,LEVEL,..: levels of a factor, in place of the study's");
  add.optional("--repeats", options.changes.repeats, count().within(2, 10000),
               "Number of blocks, in place of the study's");
  add.optional("--max-runs", options.max_runs, count(), "Stop after N runs");
  add.optional("--sampling-hz", options.rate_hz, hertz().within(1, 1000), "Power sampling rate");
  add.optional("--settle", options.settle_s, seconds().within(0, 600),
               "Seconds to wait after a change of mode");
  add_condition_options(command, options.control, options.cache);
  add.flag("--plan", options.plan, "Check the factors and print the runs, but run nothing");
  add.flag("--show", options.show, "Print the study's file");
}

}  // namespace ridgewatt::cli
