#include "ridgewatt/report/command_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/base/version.h"

namespace ridgewatt::report {
namespace {

Json option_json(const OptionReference& option) {
  Json json;
  json["names"] = option.names;
  json["kind"] = option.kind;
  if (option.kind != "flag") json["value"] = option.value;
  json["positional"] = option.positional;
  json["required"] = option.required;
  json["repeats"] = option.repeats;
  json["description"] = option.description;
  json["default"] = option.otherwise;
  json["choices"] = option.choices;
  json["group"] = option.group;
  return json;
}

// Escapes a text for troff. A line may break between the parts of A[,b=B][,c=C].
std::string troff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (c == '[' && result.ends_with(']')) result += "\\:";
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    line_start = c == '\n';
  }
  return result;
}

std::string option_entry(const OptionReference& option) {
  std::string text = ".TP\n\\fB" + troff(fmt::format("{}", fmt::join(option.names, ","))) + "\\fR";
  if (option.kind != "flag" && !option.positional) {
    text += " \\fI" + troff(option.value) + "\\fR";
  }
  text += "\n" + troff(option.description);
  if (!option.choices.empty()) {
    text += troff(fmt::format(". One of {}", fmt::join(option.choices, ", ")));
  }
  if (!option.otherwise.empty()) text += troff(". Default: " + option.otherwise);
  return text + "\n";
}

std::string page_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string synopsis(const CommandReference& command) {
  std::string text = ".B " + troff(command.name) + "\n", arguments;
  for (const OptionReference& option : command.options) {
    if (!option.positional) continue;
    const std::string name = "\\fI" + troff(option.names.front()) + "\\fR";
    arguments += option.required ? name + "\n" : "[" + name + "]\n";
  }
  if (arguments.empty() && !command.commands.empty()) arguments = ".I COMMAND\n";
  return text + arguments + "[\\fIOPTIONS\\fR]\n";
}

}  // namespace

Json reference_json(const CommandReference& command) {
  Json json;
  json["name"] = command.name;
  json["group"] = command.group;
  json["description"] = command.description;
  json["example"] = command.example;
  json["options"] = Json::array();
  for (const OptionReference& option : command.options) {
    json["options"].push_back(option_json(option));
  }
  json["commands"] = Json::array();
  for (const CommandReference& inner : command.commands) {
    json["commands"].push_back(reference_json(inner));
  }
  return json;
}

std::string manual_page(const CommandReference& command) {
  const std::string name = page_name(command.name);
  std::string text =
      fmt::format(".TH {} 1 \"\" \"ridgewatt {}\" \"Ridgewatt\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n",
                  troff(name), version(), troff(name), troff(command.description));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  std::string positionals, options, commands;
  for (const OptionReference& option : command.options) {
    (option.positional ? positionals : options) += option_entry(option);
  }
  for (const CommandReference& inner : command.commands) {
    commands += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", troff(page_name(inner.name)),
                            troff(inner.description));
  }
  if (!commands.empty()) text += ".SH COMMANDS\n" + commands;
  if (!positionals.empty()) text += ".SH ARGUMENTS\n" + positionals;
  text += ".SH OPTIONS\n" + options;
  text += troff("A number may carry its unit: 30W, 500ms, 10min, 2GB.\n");
  if (!command.example.empty()) {
    text += ".SH EXAMPLES\n.nf\n" + troff(command.example) + "\n.fi\n";
  }
  text +=
      ".SH EXIT STATUS\n0 success, 1 failure, 2 wrong usage, 3 no solution within the limits.\n";
  if (const auto parent = command.name.rfind(' '); parent != std::string::npos) {
    text += ".SH SEE ALSO\n.BR " + troff(page_name(command.name.substr(0, parent))) + " (1)\n";
  }
  return text;
}

std::map<std::string, std::string> manual_pages(const CommandReference& command) {
  std::map<std::string, std::string> pages{{page_name(command.name) + ".1", manual_page(command)}};
  for (const CommandReference& inner : command.commands) pages.merge(manual_pages(inner));
  return pages;
}

std::string completion_script(Shell shell) {
  if (shell == Shell::kFish) {
    return R"(# ridgewatt: completion for fish.
function __ridgewatt_complete
    set -l words (commandline -opc) (commandline -ct)
    ridgewatt complete -- $words[2..-1] 2>/dev/null
end
complete -c ridgewatt -a '(__ridgewatt_complete)'
)";
  }
  if (shell == Shell::kZsh) {
    return R"(#compdef ridgewatt
# ridgewatt: completion for zsh.
_ridgewatt() {
  local -a words_found
  local word description
  while IFS=$'\t' read -r word description; do
    words_found+=("${word//:/\\:}:$description")
  done < <(ridgewatt complete -- "${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)
  if ((${#words_found})); then
    _describe ridgewatt words_found
  else
    _files
  fi
}
if [[ $funcstack[1] == _ridgewatt ]]; then _ridgewatt "$@"; else compdef _ridgewatt ridgewatt; fi
)";
  }
  return R"(# ridgewatt: completion for bash.
_ridgewatt() {
  local line=${COMP_LINE:0:COMP_POINT} words current head
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${words[-1]}
  mapfile -t COMPREPLY < <(ridgewatt complete -- "${words[@]:1}" 2>/dev/null | cut -f1)
  # Bash divides a word at characters such as ':', '=' and '@', and replaces only the last part.
  head=${current%"$2"}
  COMPREPLY=("${COMPREPLY[@]#"$head"}")
}
complete -o default -F _ridgewatt ridgewatt
)";
}

}  // namespace ridgewatt::report
