#include "ridgewatt/cli/options/parameters.h"

#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"

namespace ridgewatt::cli {
namespace {

using answer::Given;
using answer::Input;
using answer::Parameter;

void add_pair(const Parameter& row, const std::string& text, Given& given) {
  auto pair = parse_pair(row, text);
  for (const auto& [name, value] : given.pairs) {
    if (name != pair.first) continue;
    throw UsageError(escape_terminal(name) + " is given twice", option_name(row),
                     "give each name once");
  }
  given.pairs.push_back(std::move(pair));
}

// quantity() has already converted numbers to SI units.
Given given_with(const Parameter& row, const std::vector<std::string>& texts) {
  Given given;
  for (const auto& text : texts) {
    if (row.access.input == Input::kNumber) {
      given.numbers.push_back(*parse_double(text));
    } else if (row.access.input == Input::kPair) {
      add_pair(row, text, given);
    } else if (row.access.input == Input::kRange) {
      const auto [least, most] = parse_range(row, text);
      given.numbers = {least, most};
    } else {
      given.words.push_back(text);
    }
  }
  return given;
}

// Returns whether values are separated by commas. Paths are not, as they may contain a comma.
bool is_split(const Parameter& row) {
  return !reads_file(row.access.input) && row.access.input != Input::kModel;
}

CLI::Option* add_valued(CLI::App& command, const Parameter& row, void* part) {
  const std::string name = option_name(row), help = help_of(row);
  const auto set = [&row, part](const std::vector<std::string>& texts) {
    row.access.set(part, row, given_with(row, texts));
  };
  if (!row.access.repeated) {
    return command.add_option_function<std::string>(
        name, [set](const std::string& text) { set({text}); }, help);
  }
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(name, set, help);
  return is_split(row) ? option->delimiter(',') : option;
}

CLI::Option* add_row(CLI::App& command, const Parameter& row, void* part) {
  if (row.access.input == Input::kFlag) {
    return command.add_flag_callback(
        option_name(row), [&row, part] { row.access.set(part, row, {}); }, help_of(row));
  }
  CLI::Option* option = add_valued(command, row, part);
  if (row.access.input == Input::kNumber) quantity(option, row.quantity);
  if (reads_file(row.access.input)) input_file(option);
  if (const auto choices = choices_of(row); !choices.empty()) list_names(option, choices);
  proposes(option, proposed_words(row))->default_str(default_of(row, part));
  return option->required(row.presence == answer::Presence::kRequired);
}

// An argument such as MODEL may also be given as an option (--model).
answer::GivenNames names_given(const CLI::App& command, const answer::ParameterTable& table) {
  answer::GivenNames given;
  for (const answer::Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (option_given(command, option_name(row)) ||
          option_given(command, spelled(row, answer::Surface::kCommandLine))) {
        given.insert(row.name);
      }
    }
  }
  return given;
}

}  // namespace

std::string option_name(const Parameter& row) {
  return row.positional.empty() ? spelled(row, answer::Surface::kCommandLine)
                                : std::string(row.positional);
}

std::string command_name(const answer::ParameterTable& table) {
  return std::string(table.command.substr(table.command.rfind(' ') + 1));
}

void add_rows(CLI::App& command, std::span<const Parameter> rows, void* part,
              const std::string& group) {
  for (const Parameter& row : rows) {
    if (row.only == answer::Surface::kPython) continue;
    CLI::Option* option = add_row(command, row, part);
    if (!group.empty()) option->group(group);
  }
}

void add_parameters(CLI::App& command, const answer::ParameterTable& table, void* question,
                    const std::string& own) {
  for (const answer::Part& part : table.parts) {
    if (option_name(part.rows.front()) == own) continue;
    add_rows(command, part.rows, part.of(question));
  }
}

void check_parameters(const CLI::App& command, const answer::ParameterTable& table,
                      const void* question, std::span<const answer::AskedForm> forms) {
  const auto idle =
      find_idle(table, question, answer::Surface::kCommandLine, names_given(command, table), forms);
  if (!idle) return;
  throw UsageError(idle->what, command.get_name(), idle->advice.empty() ? "omit it" : idle->advice);
}

void use_local_board(const Context& context, const answer::ParameterTable& table, void* question) {
  for (const answer::Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (row.presence != answer::Presence::kLocal) continue;
      void* const target = part.of(question);
      row.access.set(target, row,
                     {.words = {board_or_local(context, row.access.get(target, row))}});
    }
  }
}

void check_rows(const CLI::App& command, std::span<const Parameter> rows) {
  check_parameters(command, {"", {{rows, nullptr}}, nullptr}, nullptr);
}

void refuse_rows(const CLI::App& command, std::span<const Parameter> rows, const std::string& when,
                 const std::string& advice) {
  for (const Parameter& row : rows) {
    refuse_without_effect(command, {option_name(row).c_str()}, when, advice);
  }
}

}  // namespace ridgewatt::cli
