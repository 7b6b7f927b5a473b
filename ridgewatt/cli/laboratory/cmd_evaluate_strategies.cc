// ridgewatt evaluate strategies: how well search strategies do on replayed sweeps.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/evaluate/strategy_suite.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateOptions {
  std::vector<std::string> training, inference;
  std::string board = "agx-orin", only;
  FigureFiles figures;
  int seeds = 10, threads = 0;
  bool twin = false;
  std::vector<int> profiles, boards;
  std::vector<std::string> strategies;
  tune::SimulationOptions simulation;
  tune::InFlightRule in_flight = tune::StrategyOptions().in_flight;
  PartOptions parts;
};

evaluate::ScoredSweep read_scored(const std::string& path) {
  evaluate::ScoredSweep scored{read_sweep(path), {}, {}};
  tune::take_governed(scored.all);
  scored.trusted = trusted_rows(scored.all, check_quality(scored.all));
  return scored;
}

// What the board's twin says about a sweep, fitted to the others without those of its workload,
// whatever their kind.
Sweep twin_view(const std::string& board, const evaluate::ScoredSweep& scored,
                const std::vector<evaluate::ScoredSweep>& trainings,
                const std::vector<evaluate::ScoredSweep>& inferences) {
  std::vector<twin::SweepSpec> specs;
  for (const auto* sweeps : {&trainings, &inferences}) {
    for (const auto& other : *sweeps) {
      if (other.all.workload == scored.all.workload) continue;
      specs.push_back(twin::parse_sweep_spec(other.all.source));
    }
  }
  if (specs.empty()) throw UsageError("a twin needs sweeps of other workloads", "--twin");
  const auto reference =
      predict::unseen_twin_reference(board, specs, twin::parse_sweep_spec(scored.all.source));
  Sweep view = scored.all;
  view.source = reference.name;
  view.observations = reference.at(scored.all.points());
  return view;
}

// What is run on an entry: the suite's choice, or the user's.
std::vector<evaluate::StrategyRun> runs_of(const evaluate::SuiteEntry& entry,
                                           const EvaluateOptions& options) {
  if (options.strategies.empty() && options.profiles.empty() && options.boards.empty()) {
    return entry.runs;
  }
  const auto strategies =
      options.strategies.empty() ? std::vector<std::string>{"auto"} : options.strategies;
  const auto profiles = options.profiles.empty() ? std::vector<int>{15} : options.profiles;
  std::vector<evaluate::StrategyRun> runs;
  for (const auto& strategy : strategies) {
    for (const int count : profiles) {
      if (options.boards.empty()) runs.push_back({strategy, count});
      for (const int boards : options.boards) runs.push_back({strategy, count, boards});
    }
  }
  return runs;
}

void run(const Context& context, const EvaluateOptions& options) {
  options.parts.refuse(!options.figures.empty(), "--figures");
  if (options.seeds < 1) throw UsageError("one seed is the least", "--seeds");
  for (const int count : options.profiles) {
    if (count < 1) throw UsageError("one profile is the least", "--profiles");
  }
  for (const auto& strategy : options.strategies) {
    if (options.boards.empty() || tune::find_strategy(strategy).in_parallel) continue;
    throw UsageError("profiles one point at a time", "--boards with --strategy " + strategy,
                     "several boards go with " +
                         tune::names_where(tune::strategies(), &tune::Strategy::in_parallel));
  }
  if (options.parts.printed_script(context)) return;
  std::vector<evaluate::ScoredSweep> trainings, inferences;
  for (const auto& path : options.training) trainings.push_back(read_scored(path));
  for (const auto& path : options.inference) inferences.push_back(read_scored(path));
  if (trainings.empty() && inferences.empty()) {
    throw UsageError("no sweeps to replay", "",
                     "give --training-sweep and --inference-sweep sweeps");
  }
  if (options.twin) {
    for (auto& scored : trainings) {
      scored.twin = twin_view(options.board, scored, trainings, inferences);
    }
  }
  std::vector<PowerMode> modes;
  const Board board = load_board(options.board);
  for (const auto& preset : presets(board)) modes.push_back(preset.mode);
  auto suite = evaluate::make_strategy_suite(trainings, inferences, modes);
  std::erase_if(suite, [&](const evaluate::SuiteEntry& entry) {
    return entry.scenario.name.find(options.only) == std::string::npos;
  });
  if (suite.empty()) throw UsageError("no scenario has this in its name", "--only " + options.only);

  for (auto& entry : suite) entry.runs = runs_of(entry, options);
  evaluate::StrategyEvaluationOptions evaluation;
  evaluation.seeds = options.seeds;
  evaluation.seed = context.seed;
  evaluation.simulation = options.simulation;
  evaluation.in_flight = options.in_flight;
  const auto question = evaluate::strategy_question(std::move(suite), evaluation);
  const auto outcomes =
      options.parts.work(context, *question, options.threads, "evaluating strategies");
  if (!outcomes) return;
  print_strategy_scores(context, question->groups(), *outcomes);
  if (options.figures.empty()) return;
  const auto scores = evaluate::strategy_scores(question->groups(), *outcomes);
  const auto figures = evaluate::strategy_figures(scores, load_board(options.board).title);
  const std::string title = "Search strategies on replayed sweeps";
  write_scores(options.figures, title, figures, evaluate::strategy_table(scores));
}

}  // namespace

void print_strategy_scores(const Context& context,
                           const std::vector<evaluate::OutcomeGroup>& groups,
                           const evaluate::Outcomes& outcomes) {
  print(context, evaluate::strategy_table(evaluate::strategy_scores(groups, outcomes)));
}

void add_evaluate_strategies(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "strategies", "Search strategies on replayed sweeps, against the optimum",
      "ridgewatt evaluate strategies --training-sweep resnet18.csv "
      "--training-sweep yolov8n.csv --inference-sweep resnet50.csv --only common");
  auto options = std::make_shared<EvaluateOptions>();
  const OptionAdder add(*command);
  add.input("--training-sweep", options->training, "Training sweeps, one workload per file");
  add.input("--inference-sweep", options->inference,
            "Inference sweeps; the first also gives the common modes");
  add.named("--device", options->board, "Board whose presets and twin are compared");
  add.flag("--twin", options->twin,
           "Also with the board's twin as a reference, fitted to the given sweeps without the "
           "scored workload");
  add.text("--only", options->only, "Scenarios with this in their name");
  add.text("--strategy", options->strategies, "Strategies to run instead")->delimiter(',');
  add.optional("--profiles", options->profiles, count().within(1, 1e6),
               "Profiles allowed, one score each")
      ->delimiter(',');
  add.number("--seeds", options->seeds, count().within(1, 1e4), "Random seeds per problem");
  add.optional("--boards", options->boards, count().within(1, 1000),
               "Boards that profile at once in simulated time, one score each")
      ->delimiter(',');
  add.choice("--in-flight", options->in_flight,
             "With --boards: what results that are awaited are taken to be");
  add.number("--overhead", options->simulation.overhead_s, seconds().within(0, 1e6),
             "With --boards: time of a profile outside its minibatches");
  add.number("--spread", options->simulation.spread, number().within(0, 5),
             "With --boards: standard deviation of the logarithm of how long a profile takes");
  options->figures.add_to(*command, "penalty and share solved over profiles");
  add.threads(options->threads, "Threads, 0: all");
  options->parts.add_to(*command);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
