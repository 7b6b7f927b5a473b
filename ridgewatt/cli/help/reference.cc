#include "ridgewatt/cli/help/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/base/text.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

bool shown(const CLI::App& app) {
  return !app.get_group().empty();
}

const char* kind_of(const CLI::Option& option) {
  if (is_flag(option)) return "flag";
  if (takes_quantity(option)) return "number";
  if (value_name(option) == "FILE") return "input";
  return value_name(option) == "OUTPUT" ? "output" : "text";
}

Json option_json(const CLI::Option& option) {
  Json json;
  json["names"] = option.get_positional() ? std::vector<std::string>{option.get_name(true, false)}
                                          : split(option.get_name(false, true), ',');
  const bool flag = is_flag(option);
  json["kind"] = kind_of(option);
  if (!flag) json["value"] = value_name(option);
  json["positional"] = option.get_positional();
  json["required"] = option.get_required();
  json["repeats"] = option.get_expected_max() > 1;
  json["description"] = option.get_description();
  json["default"] = option.get_default_str();
  json["choices"] = choices_of(option);
  json["group"] = option.get_group();
  return json;
}

// Text that troff reads as it is. A line may end between the parts of A[,b=B][,c=C].
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

std::string option_entry(const CLI::Option& option) {
  const bool flag = is_flag(option);
  const std::string names =
      option.get_positional() ? option.get_name(true, false) : option.get_name(false, true);
  std::string text = ".TP\n\\fB" + troff(names) + "\\fR";
  if (!flag && !option.get_positional()) text += " \\fI" + troff(value_name(option)) + "\\fR";
  text += "\n" + troff(option.get_description());
  if (const auto choices = choices_of(option); !choices.empty()) {
    text += troff(fmt::format(". One of {}", fmt::join(choices, ", ")));
  }
  if (!option.get_default_str().empty()) {
    text += troff(". Default: " + option.get_default_str());
  }
  return text + "\n";
}

void collect_pages(const CLI::App& app, std::map<std::string, std::string>& pages) {
  pages[full_name(app, '-') + ".1"] = manual_page(app);
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (shown(*command)) collect_pages(*command, pages);
  }
}

std::string synopsis(const CLI::App& app) {
  std::string text = ".B " + troff(full_name(app)) + "\n";
  const auto options = app.get_options();
  const bool answers = std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_positional();
  });
  if (!answers && !app.get_subcommands(nullptr).empty()) {
    return text + ".I COMMAND\n[\\fIOPTIONS\\fR]\n";
  }
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + troff(option->get_name(true, false)) + "\\fR";
    text += option->get_required() ? name + "\n" : "[" + name + "]\n";
  }
  return text + "[\\fIOPTIONS\\fR]\n";
}

std::string example_of(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const auto start = footer.find("Example:\n");
  return start == std::string::npos ? "" : footer.substr(start + 9);
}

}  // namespace

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return split(type.substr(open + 1, close - open - 1), ',');
}

bool takes_quantity(const CLI::Option& option) {
  try {
    return const_cast<CLI::Option&>(option).get_validator("quantity") != nullptr;
  } catch (const CLI::OptionNotFound&) {  // CLI11 has no other way to ask
    return false;
  }
}

Json reference_json(const CLI::App& app) {
  Json json;
  json["name"] = full_name(app);
  json["group"] = app.get_group();
  json["description"] = app.get_description();
  json["example"] = example_of(app);
  json["options"] = Json::array();
  for (const CLI::Option* option : app.get_options())
    json["options"].push_back(option_json(*option));
  json["commands"] = Json::array();
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (shown(*command)) json["commands"].push_back(reference_json(*command));
  }
  return json;
}

std::string manual_page(const CLI::App& app) {
  std::string name = full_name(app, '-');
  std::string text =
      fmt::format(".TH {} 1 \"\" \"ridgewatt {}\" \"Ridgewatt\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n",
                  troff(name), version(), troff(name), troff(app.get_description()));
  text += ".SH SYNOPSIS\n" + synopsis(app);
  std::string positionals, options;
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? positionals : options) += option_entry(*option);
  }
  std::string commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!shown(*command)) continue;
    commands += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", troff(full_name(*command, '-')),
                            troff(command->get_description()));
  }
  if (!commands.empty()) text += ".SH COMMANDS\n" + commands;
  if (!positionals.empty()) text += ".SH ARGUMENTS\n" + positionals;
  text += ".SH OPTIONS\n" + options;
  text += troff("A number may carry its unit: 30W, 500ms, 10min, 2GB.\n");
  if (const auto example = example_of(app); !example.empty()) {
    text += ".SH EXAMPLES\n.nf\n" + troff(example) + "\n.fi\n";
  }
  text +=
      ".SH EXIT STATUS\n0 success, 1 failure, 2 wrong usage, 3 no solution within the limits.\n";
  if (app.get_parent() != nullptr) {
    text += ".SH SEE ALSO\n.BR " + troff(full_name(*app.get_parent(), '-')) + " (1)\n";
  }
  return text;
}

std::map<std::string, std::string> manual_pages(const CLI::App& app) {
  std::map<std::string, std::string> pages;
  collect_pages(app, pages);
  return pages;
}

}  // namespace ridgewatt::cli
