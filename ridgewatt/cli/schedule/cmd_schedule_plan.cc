// ridgewatt schedule plan: mode, inference batch and training minibatches per cycle.
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt::cli {
namespace {

void check(const CLI::App& command, const answer::PlanRequest& options) {
  check_parameters(command, answer::plan_parameters(), &options);
  const std::string when = "with --strategy " + options.strategy;
  const schedule::PlanStrategy& strategy = schedule::find_plan_strategy(options.strategy);
  if (strategy.every_point) {
    refuse_without_effect(command, {"--profiles"}, when, "it knows every point of the sweeps");
  } else {
    refuse_without_effect(command, {"--confidence"}, when, "it profiles the points");
  }
  if (!strategy.uses_prior) {
    const std::string learners =
        tune::names_where(schedule::plan_strategies(), &schedule::PlanStrategy::uses_prior);
    refuse_without_effect(command, {"--training-reference", "--inference-reference"}, when,
                          learners + " learn from them");
  }
}

std::vector<Sweep> read_all(const std::vector<std::string>& paths) {
  std::vector<Sweep> sweeps;
  for (const auto& path : paths) sweeps.push_back(read_sweep(path));
  return sweeps;
}

void run(const Context& context, const answer::PlanRequest& options, const CLI::App& command) {
  check(command, options);
  answer::PlanQuestion question;
  question.problem = checked_problem(options.schedule);
  question.workloads = read_workloads(context, options.schedule);
  question.idle_power_w = options.schedule.idle_power_w;
  question.strategy = options.strategy;
  question.profiles = options.profiles;
  question.inference_references = read_all(options.inference_references);
  question.training_references = read_all(options.training_references);
  question.seed = context.seed;
  question.confidence = options.confidence;
  print(context, report::plan_result(answer::plan_schedule(question)));
}

}  // namespace

void add_schedule_plan(CLI::App& schedule, Context& context) {
  define<answer::PlanRequest>(schedule, context, answer::plan_parameters(), run);
}

}  // namespace ridgewatt::cli
