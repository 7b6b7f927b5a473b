// The commands of the program, in the order and the groups of the help.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

void add_analyze(CLI::App& app, Context& context);
void add_sandbox(CLI::App& app, Context& context);
void add_operators(CLI::App& app, Context& context);
void add_estimate(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_roofline(CLI::App& app, Context& context);
void add_layers(CLI::App& app, Context& context);
void add_fits(CLI::App& app, Context& context);
void add_llm(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_device(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_store(CLI::App& app, Context& context);
void add_sensors(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_fleet(CLI::App& app, Context& context);
void add_top(CLI::App& app, Context& context);
void add_mode(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_fake_board(CLI::App& app, Context& context);
void add_fake_run(CLI::App& app, Context& context);
void add_measure(CLI::App& app, Context& context);
void add_profile(CLI::App& app, Context& context);
void add_govern(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_soak(CLI::App& app, Context& context);
void add_thermal(CLI::App& app, Context& context);
void add_campaign(CLI::App& app, Context& context);
void add_compare_boards(CLI::App& compare, Context& context);  // below `compare`
void add_pareto(CLI::App& app, Context& context);
void add_federate(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_schedule(CLI::App& app, Context& context);
void add_tune(CLI::App& app, Context& context);
void add_tune_llm(CLI::App& tune, Context& context);  // below `tune`
void add_zoo(CLI::App& app, Context& context);
void add_microbench(CLI::App& app, Context& context);
void add_pipeline(CLI::App& app, Context& context);
void add_loadbench(CLI::App& app, Context& context);
void add_study(CLI::App& app, Context& context);
void add_help(CLI::App& app, Context& context);
void add_man(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_complete(CLI::App& app, Context& context);

struct CommandEntry {
  const char* name;
  // Gives the command its description, options and action: see add_command(). Null: `program` does.
  void (*add)(CLI::App& app, Context& context);
  const char* group;  // heading of the help; empty: not shown
  const char* program = nullptr;
  const char* description = nullptr;  // of a command of another program
};

inline constexpr char kModels[] = "Models";
inline constexpr char kBoards[] = "Boards";
inline constexpr char kAnswers[] = "Answers";
inline constexpr char kOnABoard[] = "On a board";
inline constexpr char kFleet[] = "Fleet";
inline constexpr char kScheduling[] = "Scheduling and pipelines";
inline constexpr char kData[] = "Data";
inline constexpr char kLaboratory[] = "Laboratory";
inline constexpr char kHelp[] = "Help";

inline constexpr char kLaboratoryProgram[] = "ridgewatt-lab";
inline constexpr char kEvaluateDescription[] = "Score methods on measured sweeps";

// Of the program `ridgewatt`; those of the laboratory are in laboratory/evaluate_commands.h.
// clang-format off
inline constexpr CommandEntry kCommands[] = {
    {"analyze", add_analyze, kModels},
    {"zoo", add_zoo, kModels},
    {"operators", add_operators, kModels},
    {"sandbox", add_sandbox, kModels},
    {"device", add_device, kBoards},
    {"calibrate", add_calibrate, kBoards},
    {"estimate", add_estimate, kAnswers},
    {"tune", add_tune, kAnswers},
    {"roofline", add_roofline, kAnswers},
    {"explain", add_explain, kAnswers},
    {"layers", add_layers, kAnswers},
    {"fits", add_fits, kAnswers},
    {"llm", add_llm, kAnswers},
    {"predict", add_predict, kAnswers},
    {"pareto", add_pareto, kAnswers},
    {"federate", add_federate, kAnswers},
    {"thermal", add_thermal, kAnswers},
    {"sensors", add_sensors, kOnABoard},
    {"export", add_export, kOnABoard},
    {"top", add_top, kOnABoard},
    {"fleet", add_fleet, kOnABoard},
    {"mode", add_mode, kOnABoard},
    {"serve", add_serve, kOnABoard},
    {"measure", add_measure, kOnABoard},
    {"profile", add_profile, kOnABoard},
    {"govern", add_govern, kOnABoard},
    {"compare", add_compare, kOnABoard},
    {"soak", add_soak, kOnABoard},
    {"microbench", add_microbench, kOnABoard},
    {"fake-board", add_fake_board, kOnABoard},
    {"fake-run", add_fake_run, kOnABoard},
    {"campaign", add_campaign, kFleet},
    {"schedule", add_schedule, kScheduling},
    {"pipeline", add_pipeline, kScheduling},
    {"loadbench", add_loadbench, kScheduling},
    {"sweep", add_sweep, kData},
    {"store", add_store, kData},
    {"report", add_report, kData},
    {"study", add_study, kLaboratory},
    {"evaluate", nullptr, kLaboratory, kLaboratoryProgram, kEvaluateDescription},
    {"help", add_help, kHelp},
    {"man", add_man, kHelp},
    {"completion", add_completion, kHelp},
    {"complete", add_complete, ""},
};
// clang-format on

}  // namespace ridgewatt::cli
