// The commands below `ridgewatt schedule`.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

void add_schedule_plan(CLI::App& schedule, Context& context);
void add_schedule_simulate(CLI::App& schedule, Context& context);
void add_schedule_dynamic(CLI::App& schedule, Context& context);
void add_schedule_run(CLI::App& schedule, Context& context);
void add_schedule_measure_sharing(CLI::App& schedule, Context& context);
void add_schedule_predict_sharing(CLI::App& schedule, Context& context);

}  // namespace ridgewatt::cli
