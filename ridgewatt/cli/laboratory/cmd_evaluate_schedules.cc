// ridgewatt evaluate schedules: strategies for concurrent training and inference against the
// optimum.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/sweep/quality.h"

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

evaluate::PlanStrategyRun parse_run(const std::string& text) {
  const auto parts = split(text, ':');
  const auto profiles = parts.size() == 2 ? parse_int(parts[1]) : std::optional<std::int64_t>(15);
  if (parts.size() > 2 || !profiles || *profiles < 1 || *profiles > 1'000'000) {
    throw UsageError("is not a strategy with its budget", text,
                     "write NAME:PROFILES, as in auto:15");
  }
  return {parts[0], static_cast<int>(*profiles)};
}

// Every pair of the sweeps, at the modes that all of them have.
std::vector<evaluate::PairOfSweeps> read_pairs(const EvaluateSchedulesCommand& options) {
  std::vector<Sweep> sweeps;
  for (const auto* paths : {&options.train, &options.infer}) {
    for (const auto& path : *paths) {
      const Sweep sweep = read_sweep(path);
      sweeps.push_back(trusted_rows(sweep, check_quality(sweep)));
    }
  }
  // Every pair is asked about the same modes; rows that are flagged are missing from a pair only.
  std::vector<Sweep> unflagged_and_flagged;
  for (const auto* paths : {&options.train, &options.infer}) {
    for (const auto& path : *paths) unflagged_and_flagged.push_back(read_sweep(path));
  }
  const auto modes = evaluate::common_modes(unflagged_and_flagged);
  if (modes.empty()) throw InputError("the sweeps have no power mode in common");
  for (auto& sweep : sweeps) sweep = evaluate::at_modes(sweep, modes);

  std::vector<evaluate::PairOfSweeps> pairs;
  for (std::size_t t = 0; t < options.train.size(); ++t) {
    for (std::size_t i = 0; i < options.infer.size(); ++i) {
      pairs.push_back({sweeps[t], sweeps[options.train.size() + i]});
    }
  }
  return pairs;
}

void run(const Context& context, EvaluateSchedulesCommand options) {
  options.parts.refuse(options.timing, "--timing");
  auto& evaluation = options.evaluation;
  for (const auto& strategy : options.strategies) {
    evaluation.strategies.push_back(parse_run(strategy));
  }
  evaluation.seed = context.seed;
  if (options.parts.printed_script(context)) return;
  const auto question = evaluate::schedule_question(read_pairs(options), evaluation);
  const auto outcomes = options.parts.work(context, *question, evaluation.threads, "searches");
  if (outcomes) print_schedule_scores(context, question->groups(), *outcomes, options.timing);
}

}  // namespace

void print_schedule_scores(const Context& context,
                           const std::vector<evaluate::OutcomeGroup>& groups,
                           const evaluate::Outcomes& outcomes, bool timing) {
  print(context, evaluate::schedule_table(evaluate::schedule_scores(groups, outcomes), timing));
}

void add_evaluate_schedules(CLI::App& evaluate, Context& context) {
  auto* command = add_command(evaluate, context, "schedules",
                              "Plans under a profiling budget against the optimum",
                              "ridgewatt evaluate schedules --training-sweep resnet18.csv "
                              "--inference-sweep resnet50.csv --problems 300");
  auto options = std::make_shared<EvaluateSchedulesCommand>();
  const OptionAdder add(*command);
  add.input("--training-sweep", options->train, "Training sweeps")->required();
  add.input("--inference-sweep", options->infer, "Inference sweeps")->required();
  add.named("--strategies", options->strategies, "NAME:PROFILES, several")->delimiter(',');
  add.choice("--bound", options->evaluation.grid.bound, "What the worst latency includes");
  add.number("--problems", options->evaluation.problems_per_pair, count(),
             "Solvable problems of each pair to try, drawn at random; 0: all");
  add.threads(options->evaluation.threads);
  add.flag("--timing", options->timing,
           "Also how long the searches took, which no two runs agree on");
  options->parts.add_to(*command);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
