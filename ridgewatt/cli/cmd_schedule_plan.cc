// ridgewatt schedule plan: mode, inference batch and training minibatches a cycle.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/schedule_commands.h"
#include "ridgewatt/cli/schedule_options.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, const ScheduleOptions& options) {
  const PlanProblem problem = options.problem();
  const Plan plan = PlanTable(join_sweeps(options.workloads(context))).best(problem);
  if (context.json()) {
    Json json = answer_to_json(plan);
    json["bound"] = options.bound;
    json["strategy"] = "exhaustive";
    json["provenance"] = "replayed";
    print(json);
  } else {
    print(context, plan_table(plan));
  }
  if (!plan.feasible) throw NoSolutionError("no plan meets the constraints", plan.miss);
}

}  // namespace

void add_schedule_plan(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "plan", "Mode, batch and training minibatches a cycle",
                  "ridgewatt schedule plan --train T.csv --infer I.csv --rate 60 --max-latency 500 "
                  "--max-power 30");
  auto options = std::make_shared<ScheduleOptions>();
  options->add_to(*command);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
