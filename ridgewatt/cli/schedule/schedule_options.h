// What the schedule commands share: the programs that they are about.
#pragma once

#include <string>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds the options of the programs and of what is asked of them, which are rows of a table
// (answer/parameters/schedule.cc).
void add_programs(CLI::App& command, answer::ScheduleRequest& asked);
// Of the models in place of sweeps.
void add_models(CLI::App& command, answer::ScheduleRequest& asked);

// Reads the sweep of a program; a remark says how many rows were left out.
Sweep read_program(const Context& context, const std::string& path, WorkloadKind kind,
                   bool keep_outliers);
// All of them, and the models on the twin of their board, or of this machine.
schedule::ScheduleWorkloads read_workloads(const Context& context,
                                           const answer::ScheduleRequest& asked);

}  // namespace ridgewatt::cli
