// The commands of the programs, and how to run them. Includes nothing of CLI11, so that a main
// function compiles fast.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace ridgewatt::cli {

struct Context;

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

extern const std::span<const CommandEntry> kCommands;            // of `ridgewatt`
extern const std::span<const CommandEntry> kLaboratoryCommands;  // of `ridgewatt-lab`

// Runs the command line of a program with these commands and returns the exit status.
int run_program(std::span<const CommandEntry> commands, int argc, char** argv);

}  // namespace ridgewatt::cli
