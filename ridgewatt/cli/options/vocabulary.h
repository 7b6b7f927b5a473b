// Options with numbers and units. A number without a unit has the unit in the help. Other units of
// the same kind may follow the number:
//
//   quantity(command.add_option("--wait", wait_s, "Time to wait"), milliseconds().positive());
//   // --wait 30, 30ms, "30 ms", 0.03s; nan, inf, -1, 1e400 and "" are refused in one line
//
// The target has the value in SI units. Every option with a number must be declared by quantity();
// a test of all commands checks this.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ridgewatt/answer/words.h"
#include "ridgewatt/base/quantity.h"

namespace ridgewatt::cli {

using units::bytes;
using units::celsius;
using units::count;
using units::gigabytes;
using units::hertz;
using units::hours;
using units::joules;
using units::kilobytes;
using units::mebibytes;
using units::megahertz;
using units::milliseconds;
using units::number;
using units::percent;
using units::seconds;
using units::share;
using units::watts;

// Declares that `option` names a file to read, or a file to write. The help shows FILE or OUTPUT. A
// test runs all such options with damaged files. Before a command runs, the program checks that it
// can write the outputs (cli/result_files.h).
CLI::Option* input_file(CLI::Option* option);
CLI::Option* output_file(CLI::Option* option);
// An output that is a folder or store, which the command itself makes or opens. It is not checked.
CLI::Option* output_place(CLI::Option* option);
bool is_place(const CLI::Option& option);

// Shows the names in the help and in completion. The option parses its value itself.
CLI::Option* list_names(CLI::Option* option, const std::vector<std::string>& names);
// Lets completion propose names. They do not limit the value and are not in the help.
CLI::Option* proposes(CLI::Option* option, const answer::WordSources& words);
// Returns the names set by proposes(). `device`: the board that the user named; empty: none.
std::vector<answer::Word> proposed_by(const CLI::Option& option, const std::string& device);
// Returns whether the value is a list of names separated by commas.
bool takes_list(const CLI::Option& option);
// Returns the validator of an option with this name; null if it has none.
const CLI::Validator* find_validator(const CLI::Option& option, const std::string& name);

// Returns the noun for an option in messages: "kv type" for "--kv-type".
std::string named_by(std::string_view option);

// Makes `option` parse a quantity, or a list of quantities, into SI units, and returns it.
CLI::Option* quantity(CLI::Option* option, const Quantity& quantity);

}  // namespace ridgewatt::cli
