#include "ridgewatt/answer/parameter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSuffixes = {
    {{"W", "_w"}, {"s", "_s"}, {"J", "_j"}, {"Hz", "_hz"}, {"B", "_bytes"}, {"C", "_celsius"}}};

std::string with_blanks(std::string_view name, char blank) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', blank);
  return text;
}

const Parameter* find_row(const ParameterTable& table, std::string_view name) {
  for (const Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

bool lacks_model(const ParameterTable& table, const Parameter& row, const GivenNames& given) {
  return row.of_model && find_row(table, "model") != nullptr && !given.contains("model");
}

// The missing parameter that `row` needs, as a text that continues "without". Empty: none is
// missing.
std::string lacking(const ParameterTable& table, const void* question, const Parameter& row,
                    Surface surface, const GivenNames& given) {
  if (row.needs.name.empty()) return "";
  const Parameter& needed = *find_row(table, row.needs.name);
  if (row.needs.met != nullptr ? row.needs.met(question) : given.contains(needed.name)) return "";
  const Parameter* other = row.needs.or_name.empty() ? nullptr : find_row(table, row.needs.or_name);
  if (other != nullptr && other->only && *other->only != surface) other = nullptr;
  if (other != nullptr && given.contains(other->name)) return "";
  const bool python = surface == Surface::kPython;
  std::string what = std::string(row.needs.which) + spelled(needed, surface);
  if (other != nullptr) what += " or " + spelled(*other, surface);
  if (python && needed.access.input == Input::kFlag) what += "=True";
  if (row.needs.value.empty()) return what;
  const std::string value(row.needs.value);
  return what + (python ? "=\"" + value + "\"" : " " + value);
}

// A given parameter that lacks another one.
std::optional<Idle> incomplete(const ParameterTable& table, const void* question,
                               const Parameter& row, Surface surface, const GivenNames& given) {
  const std::string idle = spelled(row, surface) + " has no effect";
  if (lacks_model(table, row, given)) {
    return Idle{idle + (surface == Surface::kPython ? " without a model" : " without a MODEL"), ""};
  }
  const std::string what = lacking(table, question, row, surface, given);
  if (what.empty()) return std::nullopt;
  return Idle{idle + std::string(row.needs.how) + " without " + what,
              std::string(row.needs.advice)};
}

}  // namespace

std::string noun_of(const Parameter& row) {
  return with_blanks(row.name, ' ');
}

std::pair<std::string, double> parse_pair(const Parameter& row, const std::string& text) {
  const auto equals = text.rfind('=');
  try {
    if (equals != std::string::npos && equals > 0) {
      const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
      if (row.quantity_named == nullptr) return {name, quantity_value(value, row.quantity)};
      return {name, *parse_double(read_quantity(value, row.quantity_named(name)))};
    }
  } catch (const UsageError&) {
    // Report the same error as for a missing number.
  }
  const std::string option = spelled(row, Surface::kCommandLine);
  const std::string unit(row.quantity.unit.empty() ? "VALUE" : row.quantity.unit);
  throw UsageError(option + " needs NAME=" + unit, text,
                   "for example " + option + " " + std::string(row.example));
}

std::pair<double, double> parse_range(const Parameter& row, const std::string& text) {
  const auto ends = split(text, ':');
  try {
    if (ends.size() <= 2) {
      return {quantity_value(ends.front(), row.quantity),
              quantity_value(ends.back(), row.quantity)};
    }
  } catch (const UsageError&) {
    // Report the same error as for a missing number.
  }
  throw UsageError("'" + text + "' is not a range of " + std::string(row.quantity.kind),
                   spelled(row, Surface::kCommandLine),
                   "give LEAST:MOST in " + std::string(row.quantity.unit) + ", for example " +
                       std::string(row.example));
}

bool reads_file(Input input) {
  return input == Input::kFile || input == Input::kSweep || input == Input::kPoints ||
         input == Input::kLanguageModel;
}

std::string python_name(const Parameter& row) {
  if (!row.python.empty()) return std::string(row.python);
  std::string name = with_blanks(row.name, '_');
  for (const auto& [unit, suffix] : kSuffixes) {
    if (row.quantity.in_si().unit == unit) name += suffix;
  }
  return name;
}

std::vector<std::string> choices_of(const Parameter& row) {
  return row.access.choices == nullptr ? std::vector<std::string>() : row.access.choices();
}

std::string default_of(const Parameter& row, const void* part) {
  return row.access.get == nullptr ? "" : row.access.get(part, row);
}

std::string help_of(const Parameter& row) {
  std::string help(row.help);
  if (row.access.input == Input::kModes) help += std::string("; ") + kModesHelp;
  return help;
}

WordSources proposed_words(const Parameter& row) {
  const Input input = row.access.input;
  WordSources sources = row.words;
  if (sources.empty()) {
    sources = input == Input::kModel           ? WordSources(models)
              : input == Input::kLanguageModel ? WordSources(language_models)
              : input == Input::kBoard         ? WordSources(boards)
              : input == Input::kModes         ? WordSources(modes)
                                               : WordSources();
  }
  sources.list = input == Input::kModes || input == Input::kNames;
  return sources;
}

std::string spelled(const Parameter& row, Surface surface) {
  return surface == Surface::kPython ? python_name(row) : "--" + std::string(row.name);
}

AskedForm::AskedForm(const Form& asked, Surface surface)
    : form(asked),
      when(surface == Surface::kPython && !asked.python.empty() ? asked.python : asked.when),
      advice(asked.advice) {}

std::optional<Idle> find_idle(const ParameterTable& table, const void* question, Surface surface,
                              const GivenNames& given, std::span<const AskedForm> forms) {
  std::vector<std::pair<const Part*, const Parameter*>> rows;
  for (const Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (given.contains(row.name)) rows.emplace_back(&part, &row);
    }
  }
  for (const auto& [part, row] : rows) {
    if (auto idle = incomplete(table, question, *row, surface, given)) return idle;
  }
  for (const AskedForm& form : forms) {
    for (const auto& [part, row] : rows) {
      if (!(part->idle_in | row->idle_in).has(form.form)) continue;
      const bool placed = surface == Surface::kCommandLine && !row->positional.empty();
      const std::string name = placed ? std::string(row->positional) : spelled(*row, surface);
      return Idle{name + " has no effect " + form.when, form.advice};
    }
  }
  return std::nullopt;
}

}  // namespace ridgewatt::answer
