// The commands of the program (commands.cc).
#pragma once

#include <span>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Each function adds one command to the program, or a subcommand to the command `app`. See ask()
// and define() in options/parameters.h and options/option_adder.h.
using AddCommand = void(CLI::App& app, Context& context);
AddCommand add_analyze, add_sandbox, add_operators, add_estimate, add_explain, add_roofline,
    add_layers, add_llm, add_calibrate, add_device, add_report, add_sweep, add_store, add_sensors,
    add_export, add_fleet, add_top, add_mode, add_serve, add_fake_board, add_fake_run, add_measure,
    add_profile, add_govern, add_compare, add_soak, add_thermal, add_campaign, add_compare_boards,
    add_pareto, add_federate, add_predict, add_schedule, add_tune, add_zoo, add_microbench,
    add_pipeline, add_loadbench, add_study, add_help, add_man, add_completion, add_complete;
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

inline constexpr char kLaboratory[] = "Laboratory";
inline constexpr char kHelp[] = "Help";

inline constexpr char kLaboratoryProgram[] = "ridgewatt-lab";
inline constexpr char kEvaluateDescription[] = "Score methods on measured sweeps";

// The commands of `ridgewatt`. laboratory/evaluate_commands.h has those of `ridgewatt-lab`.
extern const std::span<const CommandEntry> kCommands;

}  // namespace ridgewatt::cli
