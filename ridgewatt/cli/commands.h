// The commands of the program, in the order and the groups of the help.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

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
void add_help(CLI::App& app, Context& context);
void add_man(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

struct CommandEntry {
  void (*add)(CLI::App& app, Context& context);
  const char* group;  // heading of the help; empty: not shown
};

inline constexpr char kModels[] = "Models";
inline constexpr char kBoards[] = "Boards";
inline constexpr char kAnswers[] = "Answers";
inline constexpr char kOnABoard[] = "On a board";
inline constexpr char kScheduling[] = "Scheduling and pipelines";
inline constexpr char kData[] = "Data";
inline constexpr char kLaboratory[] = "Laboratory";
inline constexpr char kHelp[] = "Help";

// clang-format off
inline constexpr CommandEntry kCommands[] = {
    {add_analyze, kModels},
    {add_zoo, kModels},
    {add_operators, kModels},
    {add_device, kBoards},
    {add_calibrate, kBoards},
    {add_estimate, kAnswers},
    {add_tune, kAnswers},
    {add_roofline, kAnswers},
    {add_predict, kAnswers},
    {add_pareto, kAnswers},
    {add_sensors, kOnABoard},
    {add_mode, kOnABoard},
    {add_measure, kOnABoard},
    {add_profile, kOnABoard},
    {add_compare, kOnABoard},
    {add_microbench, kOnABoard},
    {add_fake_board, kOnABoard},
    {add_fake_run, kOnABoard},
    {add_schedule, kScheduling},
    {add_pipeline, kScheduling},
    {add_loadbench, kScheduling},
    {add_sweep, kData},
    {add_store, kData},
    {add_report, kData},
    {add_study, kLaboratory},
    {add_evaluate, kLaboratory},
    {add_help, kHelp},
    {add_man, kHelp},
    {add_completion, kHelp},
};
// clang-format on

}  // namespace ridgewatt::cli
