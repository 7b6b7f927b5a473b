// Describes a command and its options from its parser (report/command_reference.h).
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/report/command_reference.h"

namespace ridgewatt::cli {

// Returns the values to which an option is limited; empty: any value.
std::vector<std::string> choices_of(const CLI::Option& option);
// Returns whether the option has a number as its value (see options/vocabulary.h).
bool takes_quantity(const CLI::Option& option);
report::CommandReference reference_of(const CLI::App& app);

}  // namespace ridgewatt::cli
