// The commands of the program, in the order of the help.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

using AddCommand = void (*)(CLI::App& app, Context& context);

void add_analyze(CLI::App& app, Context& context);
void add_operators(CLI::App& app, Context& context);
void add_estimate(CLI::App& app, Context& context);
void add_roofline(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_device(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_store(CLI::App& app, Context& context);
void add_sensors(CLI::App& app, Context& context);
void add_mode(CLI::App& app, Context& context);
void add_fake_board(CLI::App& app, Context& context);
void add_fake_run(CLI::App& app, Context& context);
void add_measure(CLI::App& app, Context& context);
void add_profile(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_pareto(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_schedule(CLI::App& app, Context& context);
void add_evaluate(CLI::App& app, Context& context);
void add_tune(CLI::App& app, Context& context);
void add_zoo(CLI::App& app, Context& context);
void add_microbench(CLI::App& app, Context& context);
void add_pipeline(CLI::App& app, Context& context);
void add_loadbench(CLI::App& app, Context& context);
void add_study(CLI::App& app, Context& context);

// clang-format off
inline constexpr AddCommand kCommands[] = {
    add_analyze,
    add_zoo,
    add_estimate,
    add_roofline,
    add_calibrate,
    add_device,
    add_predict,
    add_pareto,
    add_tune,
    add_sweep,
    add_report,
    add_schedule,
    add_pipeline,
    add_loadbench,
    add_study,
    add_evaluate,
    add_sensors,
    add_mode,
    add_fake_board,
    add_fake_run,
    add_measure,
    add_profile,
    add_compare,
    add_microbench,
    add_store,
    add_operators,
};
// clang-format on

}  // namespace ridgewatt::cli
