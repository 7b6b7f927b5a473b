// Commands and options as data, as JSON and as manual pages: made from the parser itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// The values an option is limited to; empty: any.
std::vector<std::string> choices_of(const CLI::Option& option);
// True when the option takes a number (see vocabulary.h).
bool takes_quantity(const CLI::Option& option);

// {"name", "group", "description", "example", "options": [{"names", "value", "kind": "flag",
// "number", "input", "output" or "text", "description", "default", "required", "choices",
// "group"}], "commands":
// [...]}
Json reference_json(const CLI::App& app);

// One page in the man macros: name, synopsis, description, options, commands, examples, status.
std::string manual_page(const CLI::App& app);
// All pages of the program by file name, "ridgewatt-schedule-plan.1".
std::map<std::string, std::string> manual_pages(const CLI::App& app);

}  // namespace ridgewatt::cli
