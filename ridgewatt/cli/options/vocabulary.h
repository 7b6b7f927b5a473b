// The language of options: numbers with units. A bare number has the unit that the help shows; the
// units of its kind may be written behind it:
//
//   quantity(command.add_option("--max-power", max_power_w, "Power limit"), watts().positive());
//   // --max-power 30, 30W, "30 W", 0.03kW; nan, inf, -1, 1e400 and "" are refused in one line
//
// The target holds the value in the unit of the bare number, so its name says that unit. Every
// option that takes a number is declared through quantity(); a test over all commands checks it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

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

// Makes `option` name a file that is read, or one that is written (or a folder or store of files).
// The help shows FILE and OUTPUT; the test of hostile files tries every one of them.
CLI::Option* input_file(CLI::Option* option);
CLI::Option* output_file(CLI::Option* option);

// Shows the names in the help and to completion; the option's own function reads them.
CLI::Option* list_names(CLI::Option* option, const std::vector<std::string>& names);
// "--kv-type" names a "kv type".
std::string named_by(const std::string& option);

// Makes `option`, of one number or of a list, take a quantity; returns it.
CLI::Option* quantity(CLI::Option* option, const Quantity& quantity);

}  // namespace ridgewatt::cli
