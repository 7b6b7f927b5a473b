// Options and input of the schedule commands.
#pragma once

#include <string>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds the options of the programs and their requirements, which are rows of a table
// (answer/parameters/schedule.cc).
void add_programs(CLI::App& command, answer::ScheduleRequest& asked);
// Adds the options for models that replace sweeps.
void add_models(CLI::App& command, answer::ScheduleRequest& asked);

// Reads the sweep of a program and prints a remark with the number of rows left out.
Sweep read_program(const Context& context, const std::string& path, WorkloadKind kind,
                   bool keep_outliers);
// Reads all sweeps and models. Models run on the twin of their board or, if no board is named, of
// this machine.
schedule::ScheduleWorkloads read_workloads(const Context& context,
                                           const answer::ScheduleRequest& asked);

}  // namespace ridgewatt::cli
