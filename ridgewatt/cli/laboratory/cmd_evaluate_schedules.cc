// ridgewatt evaluate schedules: strategies for concurrent training and inference against the
// optimum.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateSchedulesCommand {
  std::vector<std::string> train, infer;
  // NAME or NAME:PROFILES
  std::vector<std::string> strategies = {"auto:15", "gmd:15", "als:50",    "als:145",
                                         "nn:15",   "nn:50",  "random:15", "maxn:5"};
  evaluate::ScheduleEvaluationOptions evaluation;
  PartOptions parts;
  bool timing = false;
};

void run(const Context& context, EvaluateSchedulesCommand& options) {
  options.parts.refuse(options.timing, "--timing");
  auto& evaluation = options.evaluation;
  for (const auto& strategy : options.strategies) {
    evaluation.strategies.push_back(evaluate::parse_plan_run(strategy));
  }
  evaluation.seed = context.seed;
  if (options.parts.printed_script(context)) return;
  const auto question =
      evaluate::schedule_question(evaluate::read_pairs(options.train, options.infer), evaluation);
  const auto outcomes = options.parts.work(context, *question, evaluation.threads, "searches");
  if (!outcomes) return;
  print(context, evaluate::schedule_table(evaluate::schedule_scores(question->groups(), *outcomes),
                                          options.timing));
}

}  // namespace

void add_evaluate_schedules(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateSchedulesCommand>(
      evaluate, context, "schedules", "Score plans made with few profiles, relative to the optimum",
      "ridgewatt evaluate schedules --training-sweep resnet18.csv "
      "--inference-sweep resnet50.csv --problems 300",
      run);
  add.input("--training-sweep", options.train, "Training sweeps")->required();
  add.input("--inference-sweep", options.infer, "Inference sweeps")->required();
  add.list("--strategies", options.strategies,
           "Strategies with their numbers of profiles, NAME:PROFILES")
      ->capture_default_str();
  add.choice("--bound", options.evaluation.grid.bound, "Formula of the worst latency");
  add.number("--problems", options.evaluation.problems_per_pair, count(),
             "Number of solvable problems per pair of workloads, drawn at random (0: all)");
  add.threads(options.evaluation.threads);
  add.flag("--timing", options.timing,
           "Also print the time of the searches, which differs from run to run");
  options.parts.add_to(command);
}

}  // namespace ridgewatt::cli
