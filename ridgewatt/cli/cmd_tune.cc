// ridgewatt tune: the best power mode and batch within limits.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/tune_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/replay.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::cli {
namespace {

struct TuneOptions {
  GoalOptions goal;
  std::string positional_model, model, device, sweep, samples, workload, observations;
  std::vector<std::string> references;
  std::vector<int> batches;
  std::optional<std::string> strategy;
  int profiles = 15;
  std::string time_budget;
  double min_gain = 0, noise = 0.01;
  int minibatches = 40;
  double dataset_size = 0, epochs = 1;
  bool trace = false, keep_outliers = false;
};

void print_report(const Context& context, const TuneReport& report, bool trace) {
  if (context.json()) {
    print(tune_to_json(report));
  } else if (context.csv()) {
    print(context, trace ? trace_table(report) : tune_table(report));
  } else {
    std::cout << "Question: " << escape_terminal(describe_goal(report.goal)) << '\n'
              << escape_terminal(report.workload) << ", " << report.considered
              << " operating points, " << report.provenance;
    if (!report.remark.empty()) std::cout << " (" << escape_terminal(report.remark) << ")";
    std::cout << "\n\n" << tune_headline(report) << "\n\n";
    print(context, tune_table(report));
    if (!report.profiled.empty()) {
      std::cout << fmt::format(
          "\n{} profiled {} points: {:.1f} min and {:.1f} kJ on the board; {}\n", report.strategy,
          report.profiled.size(), report.board_time_s / 60, report.board_energy_j / 1e3,
          report.stop);
    }
    if (trace && !report.profiled.empty()) {
      std::cout << '\n';
      print(context, trace_table(report));
    }
  }
  if (!report.answer) {
    throw NoSolutionError("nothing profiled keeps the limits", describe_goal(report.goal),
                          "loosen a limit, or raise --profiles");
  }
}

// Observations of earlier searches, so that the next question starts from them.
std::vector<Observation> known_observations(const TuneOptions& options) {
  if (options.observations.empty()) return {};
  try {
    return read_sweep(options.observations).observations;
  } catch (const NotFoundError&) {
    return {};
  }
}

void keep_observations(const TuneOptions& options, const Sweep& workload,
                       std::vector<Observation> known, const SearchSummary& summary) {
  if (options.observations.empty()) return;
  for (const auto& step : summary.steps) known.push_back(step.seen);
  write_file_atomically(
      options.observations,
      write_sweep_csv({{options.observations, workload.workload, workload.kind, known, {}}}));
}

std::vector<NamedMode> named_modes(const TuneOptions& options, const SearchSpace& space) {
  std::vector<NamedMode> names = {{"MAXN", space[space.top()].mode}};
  if (options.device.empty()) return names;
  for (const auto& preset : presets(load_board(options.device))) {
    if (preset.mode != names[0].mode) names.push_back({preset.name, preset.mode});
  }
  return names;
}

// The sweep plays the board.
void tune_replay(const Context& context, const TuneOptions& options) {
  Sweep sweep = read_trusted_sweep(context, options.sweep, options.keep_outliers, options.workload);
  if (!options.batches.empty()) {
    std::erase_if(sweep.observations, [&](const Observation& row) {
      return std::find(options.batches.begin(), options.batches.end(), row.point.batch) ==
             options.batches.end();
    });
    if (sweep.observations.empty()) {
      throw UsageError("the sweep holds none of these batches", "--batch");
    }
  }
  const SearchSpace space(sweep.points());
  auto prior = std::make_shared<SurrogatePrior>(space);
  for (const auto& path : options.references) {
    prior->add_reference(space,
                         read_trusted_sweep(context, path, options.keep_outliers).observations);
  }
  const auto names = named_modes(options, space);
  StrategyOptions strategy;
  strategy.strategy = options.strategy.value_or("auto");
  strategy.budget.profiles = options.profiles;
  strategy.budget.minibatches = options.minibatches;
  if (!options.time_budget.empty()) {
    strategy.budget.time_s = parse_duration_s(options.time_budget, "--time-budget");
  }
  strategy.seed = context.seed;
  strategy.known = known_observations(options);
  strategy.prior = prior;
  strategy.min_gain = options.min_gain;
  strategy.noise = options.noise;
  for (const auto& name : names) strategy.presets.push_back(name.mode);

  TuneReport report;
  report.goal = options.goal.goal();
  ReplayProfiler profiler(sweep);
  const SearchSummary summary = tune(space, report.goal, profiler, strategy);
  keep_observations(options, sweep, strategy.known, summary);
  report.goal.reference_time_s = summary.reference_time_s;
  report.workload = sweep.workload + " " + sweep.kind;
  report.strategy = summary.strategy;
  report.seed = context.seed;
  report.provenance = profiler.provenance();
  if (summary.answer) report.answer = compared(report.goal, "answer", *summary.answer);
  if (summary.miss) report.miss = compared(report.goal, "nearest miss", *summary.miss);
  report.others = compare_with_sweep(report.goal, sweep, names);
  report.profiled = summary.steps;
  report.considered = space.size();
  report.stop = summary.stop;
  report.board_time_s = summary.board_time_s;
  report.board_energy_j = summary.board_energy_j;
  report.job_samples = options.dataset_size * options.epochs;
  print_report(context, report, options.trace);
}

void run(const Context& context, TuneOptions options) {
  if (options.device.rfind("replay:", 0) == 0) {
    if (!options.sweep.empty()) {
      throw UsageError("--sweep and --device replay: say the same twice", "", "give one of them");
    }
    options.sweep = options.device.substr(7);
    options.device.clear();
  }
  if (!(options.dataset_size >= 0 && options.epochs >= 0)) {
    throw UsageError("--dataset-size and --epochs must be positive");
  }
  if (!options.sweep.empty()) return tune_replay(context, options);
  throw UsageError("nothing to tune on", "", "give --sweep FILE.csv");
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "tune", "The best power mode and batch within limits",
                              "ridgewatt tune --sweep sweep.csv --max-power 30 --minimize time "
                              "--profiles 15 --trace");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("--device", options->device, "Board, or replay:FILE.csv");
  command->add_option("--sweep", options->sweep, "Sweep that plays the board");
  command->add_option("--workload", options->workload,
                      "Which workload of the sweep, NAME or NAME:KIND");
  command->add_option("--reference", options->references,
                      "Sweep of another workload to learn from");
  command->add_option("--batch", options->batches, "Minibatch sizes to choose from")
      ->delimiter(',');
  options->goal.add_to(*command);
  command->add_option("--strategy", options->strategy,
                      "exhaustive, maxn, presets, random, gmd, als, thompson, ogd or auto");
  command->add_option("--profiles", options->profiles, "Operating points profiled at most")
      ->capture_default_str();
  command->add_option("--time-budget", options->time_budget, "Time on the board, 90s, 10min, 1h");
  command->add_option("--minibatches", options->minibatches, "Minibatches run a profile")
      ->capture_default_str();
  command
      ->add_option("--min-gain", options->min_gain,
                   "auto stops when the best untried point promises a smaller relative gain")
      ->capture_default_str();
  command
      ->add_option("--noise", options->noise,
                   "Relative standard deviation of a measurement, for auto")
      ->capture_default_str();
  command->add_option("--observations", options->observations,
                      "Sweep file that als and auto answer from first and add to");
  command->add_option("--dataset-size", options->dataset_size, "Samples of the job");
  command->add_option("--epochs", options->epochs, "Epochs of the job")->capture_default_str();
  command->add_flag("--trace", options->trace, "List every profiled point");
  command->add_flag("--keep-outliers", options->keep_outliers,
                    "Use rows that the quality check flags");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
