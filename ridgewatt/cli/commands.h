// The commands of the program, in the order and groups of the help.
#pragma once

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Each function adds one command to the program, or a subcommand to the command `app`. See define()
// in options/option_adder.h and add_command() in command.h.
using AddCommand = void(CLI::App& app, Context& context);
AddCommand add_analyze, add_sandbox, add_operators, add_estimate, add_explain, add_roofline,
    add_layers, add_fits, add_llm, add_calibrate, add_device, add_report, add_sweep, add_store,
    add_sensors, add_export, add_fleet, add_top, add_mode, add_serve, add_fake_board, add_fake_run,
    add_measure, add_profile, add_govern, add_compare, add_soak, add_thermal, add_campaign,
    add_compare_boards, add_pareto, add_federate, add_predict, add_schedule, add_tune, add_tune_llm,
    add_zoo, add_microbench, add_pipeline, add_loadbench, add_study, add_help, add_man,
    add_completion, add_complete;
// Subcommands.
AddCommand add_campaign_plan, add_campaign_submit, add_campaign_status, add_campaign_watch,
    add_campaign_boards, add_campaign_rerun, add_campaign_resume, add_campaign_list,
    add_campaign_collect, add_campaign_cancel, add_campaign_run;
AddCommand add_schedule_plan, add_schedule_simulate, add_schedule_dynamic, add_schedule_run,
    add_schedule_measure_sharing, add_schedule_predict_sharing;

// A command of the program.
struct CommandEntry {
  const char* name;
  // Adds description, options and action of the command. Null if another program implements it.
  AddCommand* add;
  const char* group;  // heading in the help; empty: hidden
  // Name of the program that implements the command; null: this program.
  const char* program = nullptr;
  const char* description = nullptr;  // only for a command of another program
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

// The commands of `ridgewatt`. laboratory/evaluate_commands.h has those of `ridgewatt-lab`.
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
