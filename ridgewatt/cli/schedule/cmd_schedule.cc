// ridgewatt schedule: concurrent training and inference on one accelerator.
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"

namespace ridgewatt::cli {

void add_schedule(CLI::App& app, Context& context) {
  CLI::App* schedule = command_named(
      app, "schedule", "Training and inference on one accelerator: plan, simulate, run");
  schedule->require_subcommand(1);
  add_schedule_plan(*schedule, context);
  add_schedule_simulate(*schedule, context);
  add_schedule_dynamic(*schedule, context);
  add_schedule_run(*schedule, context);
  add_schedule_measure_sharing(*schedule, context);
  add_schedule_predict_sharing(*schedule, context);
}

}  // namespace ridgewatt::cli
