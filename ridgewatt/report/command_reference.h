// A command and its options as JSON and as a manual page, and the scripts of shell completion.
//
//   CommandReference tune{.name = "ridgewatt tune", .description = "The best power mode .."};
//   tune.options.push_back({.names = {"--max-power"}, .kind = "number", .value = "W"});
//   std::cout << manual_page(tune);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::report {

struct OptionReference {
  std::vector<std::string> names = {};  // "-h", "--help"; an argument has one name
  std::string kind = {};                // "flag", "number", "input", "output" or "text"
  std::string value = {};               // placeholder of the value: "W"; a flag has none
  bool positional = false, required = false, repeats = false;
  std::string description = {}, otherwise = {};  // `otherwise`: default as text
  std::vector<std::string> choices = {};         // empty: any value
  std::string group = {};
};
struct CommandReference {
  std::string name = {};  // "ridgewatt schedule plan"
  std::string group = {}, description = {}, example = {};
  std::vector<OptionReference> options = {};
  std::vector<CommandReference> commands = {};  // commands that the help shows
};

// Returns {"name", "group", "description", "example",
//          "options": [{"names", "kind", "value", "positional", "required", "repeats",
//                       "description", "default", "choices", "group"}],
//          "commands": [...]}.
Json reference_json(const CommandReference& command);
// Returns a page in the macros of man(7): name, synopsis, description, options, commands, examples,
// exit status.
std::string manual_page(const CommandReference& command);
// Returns the pages of the command and of its commands, by file name
// ("ridgewatt-schedule-plan.1").
std::map<std::string, std::string> manual_pages(const CommandReference& command);

enum class Shell { kBash, kZsh, kFish };
constexpr auto enum_names(Shell) {
  return named<Shell>({{Shell::kBash, "bash"}, {Shell::kZsh, "zsh"}, {Shell::kFish, "fish"}});
}
// Returns the script that completes command lines in the shell with `ridgewatt complete`.
std::string completion_script(Shell shell);

}  // namespace ridgewatt::report
