// ridgewatt evaluate strategies: how well search strategies do on replayed sweeps.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/evaluate/strategy_suite.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateOptions {
  evaluate::SuiteQuestion suite;
  FigureFiles figures;
  int seeds = 10, threads = 0;
  double near_best = 1;
  tune::SimulationOptions simulation;
  tune::InFlightRule in_flight = tune::StrategyOptions().in_flight;
  PartOptions parts;
};

void run(const Context& context, const EvaluateOptions& options) {
  options.parts.refuse(!options.figures.empty(), "--figures");
  options.suite.chosen.check();
  if (options.parts.printed_script(context)) return;
  auto suite = evaluate::asked_suite(options.suite);
  evaluate::StrategyEvaluationOptions evaluation;
  evaluation.seeds = options.seeds;
  evaluation.seed = context.seed;
  evaluation.simulation = options.simulation;
  evaluation.in_flight = options.in_flight;
  evaluation.near_best = options.near_best;
  const auto question = evaluate::strategy_question(std::move(suite), evaluation);
  const auto outcomes =
      options.parts.work(context, *question, options.threads, "evaluating strategies");
  if (!outcomes) return;
  const auto scores = evaluate::strategy_scores(question->groups(), *outcomes);
  print(context, evaluate::strategy_result(scores));
  if (options.figures.empty()) return;
  const auto figures = evaluate::strategy_figures(scores, load_board(options.suite.board).title);
  const std::string title = "Search strategies on replayed sweeps";
  write_scores(options.figures, title, figures, evaluate::strategy_table(scores));
}

}  // namespace

void add_evaluate_strategies(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateOptions>(
      evaluate, context, "strategies",
      "Score search strategies on replayed sweeps, relative to the optimum",
      "ridgewatt evaluate strategies --training-sweep resnet18.csv "
      "--training-sweep yolov8n.csv --inference-sweep resnet50.csv --only common",
      run);
  evaluate::SuiteQuestion& asked = options.suite;
  add.input("--training-sweep", asked.training, "Training sweeps, one workload per file");
  add.input(
      "--inference-sweep", asked.inference,
      "Inference sweeps, one workload per file; training is also scored on the modes of the first "
      "file");
  add.board("--device", asked.board, "Board whose presets and twin are scored")
      ->capture_default_str();
  add.flag("--twin", asked.twin,
           "Also score with the board's twin as a reference, fitted to the given sweeps without "
           "the scored workload");
  add.text("--only", asked.only, "Only scenarios whose name or workload contains this text");
  add.groups(asked.groups);
  add.list("--strategy", asked.chosen.strategies,
           "Strategies to score (default: those of each scenario)");
  add.optional("--profiles", asked.chosen.profiles, count().within(1, 1e6),
               "Maximum numbers of points that a strategy may profile; each number is scored")
      ->delimiter(',');
  add.number("--near-best", options.near_best, share(),
             "A search ends when its answer is within 1 % of the best with this probability");
  add.number("--seeds", options.seeds, count().within(1, 1e4), "Random seeds per problem");
  add.optional("--boards", asked.chosen.boards, count().within(1, 1000),
               "Numbers of simulated boards that profile at the same time; each number is scored")
      ->delimiter(',');
  add.choice("--in-flight", options.in_flight,
             "With --boards: value assumed for results that are still awaited");
  add.number("--overhead", options.simulation.overhead_s, seconds().within(0, 1e6),
             "With --boards: overhead of a profile, in addition to its minibatches");
  add.number("--spread", options.simulation.spread, number().within(0, 5),
             "With --boards: standard deviation of the logarithm of a profile's time");
  options.figures.add_to(command, "penalty, and share of problems solved, by number of profiles");
  add.threads(options.threads, "Threads, 0: all");
  options.parts.add_to(command);
}

}  // namespace ridgewatt::cli
