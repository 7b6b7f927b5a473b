// Builds the tree of commands, and formats the message for an invalid command line.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Adds the global options and only the commands that the command line in `context` may name.
// Options of a command are added when the parser reaches it. This keeps the start time short. Every
// option rejects an empty value.
void prepare_program(CLI::App& app, Context& context);
// Adds the names of all other commands, for messages that suggest one.
void name_commands(CLI::App& app, Context& context);
// Adds all commands with all options.
void build_program(CLI::App& app, Context& context);
// Makes "--" in `words` end the options in every position. CLI11 alone would treat it as the end of
// a list, or as the value of an option that has none. Throws UsageError in the latter case.
void end_options(CLI::App& app, Context& context, std::vector<std::string>& words);
// After parsing: adds the options of all commands, so that they can be listed for help, manual
// pages and completion.
void complete_program(CLI::App& app, const Context& context);
// If another program implements the command with this name, replaces this process by that program,
// with the same command line.
void hand_over(const std::string& name, const Context& context);

// Returns a message of one line for a command line that CLI11 rejected. It suggests similar names
// for an unknown command or option, and says how to show the help.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

// Returns the subcommand that the command line names or, without one, the command.
const CLI::App& innermost(const CLI::App& app);
// Returns the name with all parent commands, such as "ridgewatt schedule plan".
std::string full_name(const CLI::App& app);
// Returns whether the option has no value.
bool is_flag(const CLI::Option& option);
// Returns the placeholder for the value in the help: "W", "N", "FILE" or "TEXT".
std::string value_name(const CLI::Option& option);
// Return the visible subcommands and the long options of a command, as they are typed.
std::vector<std::string> subcommand_names(const CLI::App& app);
std::vector<std::string> option_names(const CLI::App& app);
// Returns the direct subcommand with this name; null if there is none.
const CLI::App* subcommand(const CLI::App& app, const std::string& name);
// Returns the subcommand with the path ("schedule", "plan"). Throws UsageError, which suggests a
// similar name.
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& path);

}  // namespace ridgewatt::cli
