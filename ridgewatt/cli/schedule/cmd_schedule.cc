// ridgewatt schedule: concurrent training and inference on one accelerator.
#include "ridgewatt/cli/commands.h"

namespace ridgewatt::cli {

AddCommand add_schedule_plan, add_schedule_simulate, add_schedule_dynamic, add_schedule_run,
    add_schedule_measure_sharing, add_schedule_predict_sharing;

void add_schedule(CLI::App& app, Context& context) {
  CLI::App* schedule = command_named(
      app, "schedule", "Training and inference on one accelerator: plan, simulate, run");
  schedule->require_subcommand(1);
  for (AddCommand* add :
       {add_schedule_plan, add_schedule_simulate, add_schedule_dynamic, add_schedule_run,
        add_schedule_measure_sharing, add_schedule_predict_sharing})
    add(*schedule, context);
}

}  // namespace ridgewatt::cli
