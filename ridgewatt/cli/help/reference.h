// Commands and options as JSON and as manual pages, generated from the parser.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

// Returns the values to which an option is limited; empty: any value.
std::vector<std::string> choices_of(const CLI::Option& option);
// Returns whether the option has a number as its value (see options/vocabulary.h).
bool takes_quantity(const CLI::Option& option);

// Returns the reference of a command as JSON:
//   {"name", "group", "description", "example",
//    "options": [{"names", "value", "kind", "description", "default", "required", "choices",
//                 "group"}],
//    "commands": [...]}
// "kind" is "flag", "number", "input", "output" or "text".
Json reference_json(const CLI::App& app);

// Returns a page in the macros of man(7): name, synopsis, description, options, commands, examples,
// exit status.
std::string manual_page(const CLI::App& app);
// Returns all pages of the program, by file name ("ridgewatt-schedule-plan.1").
std::map<std::string, std::string> manual_pages(const CLI::App& app);

}  // namespace ridgewatt::cli
