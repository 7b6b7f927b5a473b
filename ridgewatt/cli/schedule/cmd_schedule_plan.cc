// ridgewatt schedule plan: mode, inference batch and training minibatches per cycle.
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt::cli {
namespace {

struct PlanOptions {
  ScheduleOptions schedule;
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<std::string> train_reference, infer_reference;
};

void check(const CLI::App& command, const PlanOptions& options) {
  options.schedule.models.check(command);
  const std::string when = "with --strategy " + options.strategy;
  const schedule::PlanStrategy& strategy = schedule::find_plan_strategy(options.strategy);
  if (strategy.every_point) {
    refuse_without_effect(command, {"--profiles"}, when, "it knows every point of the sweeps");
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

void run(const Context& context, const PlanOptions& options) {
  answer::PlanQuestion question;
  question.problem = options.schedule.problem();
  question.workloads = options.schedule.workloads(context);
  question.idle_power_w = options.schedule.idle_power_w;
  question.strategy = options.strategy;
  question.profiles = options.profiles;
  question.inference_references = read_all(options.infer_reference);
  question.training_references = read_all(options.train_reference);
  question.seed = context.seed;
  const answer::PlanAnswer found = answer::plan_schedule(question);
  if (context.json()) {
    print(context, report::plan_to_json(found));
  } else {
    report::Table table = report::plan_table(found.plan);
    const OriginFields fields({found.origin});
    const auto values = fields.values(found.origin);
    for (std::size_t i = 0; i < values.size(); ++i) table.add_row({fields.names()[i], values[i]});
    remark(context, "idle power: " + found.idle_source);
    print(context, table);
  }
  if (!found.plan.feasible) {
    throw NoSolutionError("no plan meets the constraints", found.plan.miss);
  }
}

}  // namespace

void add_schedule_plan(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "plan", "Mode, batch and training minibatches per cycle",
                  "ridgewatt schedule plan --training-sweep T.csv --inference-sweep I.csv "
                  "--arrival-rate 60 --max-latency 500 "
                  "--max-power 30 --strategy auto --profiles 15");
  auto options = std::make_shared<PlanOptions>();
  options->schedule.add_to(*command);
  options->schedule.models.add_to(*command);
  options->schedule.add_idle_power_to(*command);
  options->schedule.add_busy_share_to(*command);
  const std::vector<std::string> names(schedule::plan_strategy_names().begin(),
                                       schedule::plan_strategy_names().end());
  name_choice(*command, "--strategy", options->strategy, {names},
              "exhaustive: the optimum of the sweeps; others profile a few points of them")
      ->capture_default_str();
  quantity(command->add_option(
               "--profiles", options->profiles,
               "Operating points (mode and batch) at which both workloads may be profiled"),
           count().within(1, 1000000))
      ->capture_default_str();
  input_file(command->add_option("--training-reference", options->train_reference,
                                 "Sweep of another training workload, for auto and als"));
  input_file(command->add_option("--inference-reference", options->infer_reference,
                                 "Sweep of another inference workload, for auto and als"));
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
