// The program as one tree of commands, and what is said when a command line does not fit it.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds the global options and the names of the commands that the line of `context` may mean. A
// command gets its options when the parser meets it, so that a call pays for one command. Every
// option refuses an empty value.
void prepare_program(CLI::App& app, Context& context);
// Adds the names of the other commands, for a message that suggests one.
void name_commands(CLI::App& app, Context& context);
// The whole program at once.
void build_program(CLI::App& app, Context& context);
// Lets "--" end the options whatever stands before it: CLI11 takes it for the end of a list, or for
// the value of an option that lacks one. UsageError for the latter.
void end_options(CLI::App& app, Context& context, std::vector<std::string>& words);
// After parsing: gives the commands that are there their options to be read (help, manual pages,
// completion).
void complete_program(CLI::App& app, const Context& context);
// When another program has the command of that name, this process becomes it with the same command
// line.
void hand_over(const std::string& name, const Context& context);

// A program with these commands: runs the command line, and returns the exit status.
int run_program(std::span<const CommandEntry> commands, int argc, char** argv);

// One line for a command line that CLI11 refused: unknown commands and options with what was
// probably meant, other faults as they are, and where help is.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

// The command that the command line names, the subcommand where it has one.
const CLI::App& innermost(const CLI::App& app);
// "ridgewatt schedule plan", joined by `separator`.
std::string full_name(const CLI::App& app, char separator = ' ');
// True when the option takes no value.
bool is_flag(const CLI::Option& option);
// "W", "N", "FILE", "TEXT": what the help shows for the value.
std::string value_name(const CLI::Option& option);
// Subcommands and long options, as typed, of a command.
std::vector<std::string> subcommand_names(const CLI::App& app);
std::vector<std::string> option_names(const CLI::App& app);
// The direct subcommand of that name; null when there is none.
const CLI::App* subcommand(const CLI::App& app, const std::string& name);
// The subcommand that `path` ("schedule", "plan") names; UsageError with what was meant.
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& path);

}  // namespace ridgewatt::cli
