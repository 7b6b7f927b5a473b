// The commands of the program (commands.cc).
#pragma once

#include <span>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds one command to the program, or a subcommand to the command `app`. Defined in a cmd_NAME.cc
// (see define() in options/parameters.h), and declared only where it is listed.
using AddCommand = void(CLI::App& app, Context& context);
AddCommand add_help, add_man, add_complete;  // of both programs

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
