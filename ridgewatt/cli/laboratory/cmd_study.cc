// ridgewatt study: a designed experiment from a file, on a board, a fake one or a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/sweep_names.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/report/study_report.h"
#include "ridgewatt/study/study_run.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::cli {
namespace {

struct StudyCommand {
  std::string name;
  DeviceOptions device;
  std::string replay;
  std::string workload;
  std::string database;
  FigureFiles figures;
  std::vector<std::string> parameters;
  std::vector<std::string> levels;
  int repeats = 0;
  std::int64_t max_runs = -1;
  double rate_hz = 100;
  double settle_s = 1;
  bool full_fan = false;
  measure::CacheOptions cache;
  bool plan = false;
  bool show = false;
};

// NAME=VALUE; `what` is the option.
std::pair<std::string, std::string> assignment(const std::string& text, const char* what) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw UsageError(std::string(what) + " needs NAME=VALUE", text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// `kind`: "factor" or "parameter", of which the study has `names`.
UsageError unknown_of(const study::Study& study, const std::string& kind, const std::string& name,
                      const NameSet& names) {
  return UsageError("study " + study.name + " has no " + kind + " '" + escape_terminal(name) + "'",
                    "", names.names.empty() ? "it has none" : hint_for(name, names));
}

// As the study calls it; case and separators do not matter.
std::string factor_named(const study::Study& study, const std::string& text) {
  NameSet names;
  for (const auto& factor : study.factors) names.names.push_back(factor.name);
  const auto name = find_meant(text, names);
  return name ? *name : throw unknown_of(study, "factor", text, names);
}

std::string parameter_named(const study::Study& study, const std::string& text) {
  NameSet names;
  for (const auto& [name, value] : study.parameters) names.names.push_back(name);
  const auto name = find_meant(text, names);
  return name ? *name : throw unknown_of(study, "parameter", text, names);
}

study::Study study_of(const StudyCommand& options) {
  study::Study study = study::load_study(options.name);
  for (const auto& text : options.parameters) {
    const auto [name, value] = assignment(text, "--set");
    study.parameters[parameter_named(study, name)] = value;
  }
  for (const auto& text : options.levels) {
    const auto [given, values] = assignment(text, "--levels");
    const auto found =
        std::find_if(study.factors.begin(), study.factors.end(),
                     [name = factor_named(study, given)](const auto& f) { return f.name == name; });
    found->levels = split(values, ',');
    found->level_count = 0;
  }
  if (options.repeats > 0) study.repeats = options.repeats;
  return study;
}

void print_studies(const Context& context) {
  report::Table table(
      {{"study"}, {.name = "factors", .wrap = true}, {.name = "question", .wrap = true}});
  for (const auto& name : study::list_studies()) {
    const study::Study study = study::load_study(name);
    std::string factors;
    for (const auto& factor : study.factors) factors += (factors.empty() ? "" : ", ") + factor.name;
    table.add_row({name, factors, study.question});
  }
  print(context, table);
}

void show_plan(const Context& context, const study::Study& study) {
  std::vector<report::Column> columns = {{"block"}};
  for (const auto& factor : study.factors) columns.push_back({factor.name});
  report::Table table(std::move(columns));
  for (const auto& run : study::plan_study(study, context.seed)) {
    std::vector<report::Cell> row = {run.block};
    row.insert(row.end(), run.cell.begin(), run.cell.end());
    table.add_row(std::move(row));
  }
  print(context, table);
}

// The program that runs, for {ridgewatt} in commands.
std::string own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "ridgewatt" : path.string();
}

// Runs what is left of the plan; returns what the log then holds.
std::vector<study::StudyResult> measure(const Context& context, const StudyCommand& options,
                                        study::Study& study, report::StudyReport& report,
                                        std::vector<std::string>& remarks) {
  const platform::LocalDevice device = options.device.open(context);
  study.parameters["ridgewatt"] = own_path();
  study.parameters["device"] = options.device.device;
  study::CommandBench bench(device, {options.rate_hz, options.settle_s, options.device.state_folder,
                                     options.full_fan, options.cache});
  bench.prepare(study);
  remarks = bench.remarks();
  if (options.plan) {
    show_plan(context, study);
    return {};
  }
  report.provenance = bench.provenance();
  report.where = report.board = device.name;
  study::StudyLog log(options.database.empty() ? ":memory:" : options.database, study, device.name,
                      context.seed);
  Progress progress("study " + study.name, study::plan_study(study, context.seed).size(),
                    context.quiet);
  auto results = study::run_study(
      study, bench, log,
      {context.seed, options.max_runs, [&](std::size_t i, const study::StudyRun& run) {
         progress.update(i, fmt::format("block {}, {}", run.block, fmt::join(run.cell, ", ")));
       }});
  for (const auto& note : log.notes()) remarks.push_back("the program says: " + note);
  return results;
}

void show(const Context& context, const StudyCommand& options, const report::StudyReport& report,
          const std::vector<std::string>& remarks) {
  options.figures.write(
      [&] { return report::to_svg(report::study_figures(report), report.study.title); },
      [&] { return report::study_html(report); });
  const report::Table effects = report::effect_table(report.analysis);
  const report::Table optima = report::optimum_table(report.analysis);
  if (context.json()) {
    return print(context, Json{{"study", report.study.name},
                               {"provenance", name_of(report.provenance)},
                               {"where", report.where},
                               {"runs", report.results.size()},
                               {"remarks", remarks},
                               {"cells", report::cell_table(report).to_json()},
                               {"effects", effects.to_json()},
                               {"optima", optima.to_json()},
                               {"findings", report.analysis.findings}});
  }
  if (context.csv()) {
    RowOrigin origin{report.workload, "", report.board};
    origin.provenance = report.provenance;
    return print(context, report::with_origin(effects, {origin}));
  }
  std::cout << escape_terminal(report.study.title) << "\n"
            << name_of(report.provenance) << ": " << escape_terminal(report.where) << ", "
            << report.results.size() << " runs\n";
  for (const auto& remark : remarks) std::cout << escape_terminal(remark) << '\n';
  std::cout << '\n';
  if (options.replay.empty()) {
    print_aside(context, report::cell_table(report));
    std::cout << '\n';
  }
  print(context, effects);
  if (!optima.rows().empty() && optima.rows().size() <= 64) {
    std::cout << '\n';
    print_aside(context, optima);
  }
  std::cout << '\n';
  for (const auto& finding : report.analysis.findings) {
    std::cout << "* " << escape_terminal(finding) << '\n';
  }
}

void check(const CLI::App& command, const StudyCommand& options) {
  if (!options.replay.empty()) {
    refuse_without_effect(
        command,
        {"--device", "--sysroot", "--state-dir", "--store", "--max-runs", "--sampling-hz",
         "--settle", "--plan", "--full-fan", "--fill-cache", "--drop-cache"},
        "with --sweep", "nothing is run");
  }
  if (options.replay.empty()) refuse_without_effect(command, {"--workload"}, "without --sweep");
  if (options.show) {
    refuse_without_effect(command, {"--figures", "--plan", "--store", "--sweep"}, "with --show");
  }
  if (options.plan) refuse_without_effect(command, {"--figures"}, "with --plan");
}

void run(const Context& context, const StudyCommand& options) {
  if (options.name.empty()) return print_studies(context);
  study::Study study = study_of(options);
  if (options.show) {
    std::cout << study.text;
    return;
  }
  report::StudyReport report;
  std::vector<std::string> remarks;
  if (options.replay.empty()) {
    report.results = study::per_sample(study, measure(context, options, study, report, remarks));
    if (options.plan) {
      for (const auto& text : remarks) remark(context, text);
      return;
    }
    if (std::none_of(report.results.begin(), report.results.end(),
                     [](const auto& result) { return result.responses.contains("power_w"); })) {
      remarks.emplace_back("no power sensor was read: nothing is said of power and energy");
    }
  } else {
    const Sweep sweep = choose_sweep(read_sweeps(options.replay), options.workload, options.replay);
    const QualityReport quality = check_quality(sweep);
    std::vector<std::string> left_out;
    report.results = study::replay_study(study, trusted_rows(sweep, quality), left_out);
    for (const auto& factor : left_out) {
      remarks.push_back(fmt::format("factor '{}' is left out: the sweep does not vary it", factor));
    }
    remarks.push_back(fmt::format("{} suspect rows are left out", quality.flagged_rows()));
    remarks.emplace_back("intervals tell how effects vary over the sweep's other settings");
    report.provenance = sweep.origin_of(Provenance::kReplayed).provenance;
    report.where = options.replay;
    report.board = sweep.board;
    report.workload = sweep.workload + (sweep.kind.empty() ? "" : " " + sweep.kind);
  }
  if (report.results.empty()) throw Error("no run is finished yet", study.name);
  report.study = study;
  report.analysis = study::analyze_study(study, report.results, !options.replay.empty());
  show(context, options, report, remarks);
}

}  // namespace

void add_study(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "study", "A designed experiment: what a factor does to time and energy",
      "ridgewatt study frequency --sweep sweep.csv --figures frequency.html");
  auto options = std::make_shared<StudyCommand>();
  command->add_option("STUDY", options->name, "Shipped study or TOML file; none: list them");
  add_device_options(*command, options->device);
  input_file(command->add_option("--sweep", options->replay, "Sweep to take the results from"));
  command->add_option("--workload", options->workload,
                      std::string("Which sweep of the file: ") + kSweepNames);
  output_file(command->add_option("--store", options->database,
                                  "Keep finished runs here; an interrupted study goes on"));
  options->figures.add_to(*command, "the results");
  command->add_option("--set", options->parameters, "NAME=VALUE of a parameter of the study");
  command->add_option("--levels", options->levels, "FACTOR=LEVEL,LEVEL,.. instead of the study's");
  quantity(command->add_option("--repeats", options->repeats, "Blocks, instead of the study's"),
           count().within(2, 10000));
  quantity(command->add_option("--max-runs", options->max_runs, "Stop after N runs"), count());
  quantity(command->add_option("--sampling-hz", options->rate_hz, "Power sampling rate"),
           hertz().within(1, 1000));
  quantity(
      command->add_option("--settle", options->settle_s, "Seconds of rest after a change of mode"),
      seconds().within(0, 600));
  add_condition_options(*command, options->full_fan, options->cache);
  command->add_flag("--plan", options->plan, "Check the factors and print the runs, run nothing");
  command->add_flag("--show", options->show, "Print the study's file");
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
