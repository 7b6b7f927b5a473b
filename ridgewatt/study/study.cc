#include "ridgewatt/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/toml.h"

namespace ridgewatt::study {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostRuns = 100000;
constexpr std::pair<double, double> kBatches = {1, 1 << 20};  // like --batch

// Reads the tables of a study file. Every error names the file and the key.
class StudyFile {
 public:
  StudyFile(const TomlTable& table, std::string source, std::string place = "")
      : table_(table), source_(std::move(source)), place_(std::move(place)) {}
  [[noreturn]] void fail(std::string_view key, std::string_view fault) const {
    throw InputError(fmt::format("{}: '{}{}' {}", source_, place_, escape_terminal(key), fault));
  }
  void allow(std::initializer_list<std::string_view> keys) const {
    const NameSet known{{keys.begin(), keys.end()}};
    for (const auto& [key, value] : table_) {
      if (!contains(keys, key)) {
        fail(key, "is not a key of a study file: " + hint_for(key, known));
      }
    }
  }
  std::string text(std::string_view key, const std::string& fallback = "") const {
    const auto* node = table_.get(key);
    if (node == nullptr) return fallback;
    const auto* value = node->as<std::string>();
    if (value == nullptr) fail(key, "must be a string");
    return *value;
  }
  std::int64_t whole(std::string_view key, std::int64_t fallback, std::int64_t lo,
                     std::int64_t hi) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return fallback;
    const auto* value = node->as<std::int64_t>();
    if (value == nullptr || *value < lo || *value > hi) {
      fail(key, fmt::format("must be a whole number from {} to {}", lo, hi));
    }
    return *value;
  }
  std::optional<double> number(std::string_view key) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->number();
    if (!value || !std::isfinite(*value)) fail(key, "must be a finite number");
    return value;
  }
  bool flag(std::string_view key, bool fallback) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return fallback;
    const bool* value = node->as<bool>();
    if (value == nullptr) fail(key, "must be true or false");
    return *value;
  }
  // Reads a list of texts or numbers as texts.
  std::vector<std::string> list(std::string_view key) const {
    std::vector<std::string> values;
    const auto* node = table_.get(key);
    if (node == nullptr) return values;
    const auto* array = node->as<TomlArray>();
    if (array == nullptr) fail(key, "must be an array");
    for (const auto& element : *array) values.push_back(value_text(key, element));
    return values;
  }
  std::map<std::string, std::string> texts(std::string_view key) const {
    std::map<std::string, std::string> values;
    const auto* node = table_.get(key);
    if (node == nullptr) return values;
    const auto* table = node->as<TomlTable>();
    if (table == nullptr) fail(key, "must be a table");
    for (const auto& [name, element] : *table) {
      values[name] = value_text(key, element);
    }
    return values;
  }
  const TomlNode* find(std::string_view key) const { return table_.get(key); }
  const std::string& source() const { return source_; }

 private:
  std::string value_text(std::string_view key, const TomlNode& node) const {
    if (const auto* text = node.as<std::string>()) return *text;
    if (const auto* whole = node.as<std::int64_t>()) return std::to_string(*whole);
    if (const auto* real = node.as<double>()) return fmt::format("{}", *real);
    fail(key, "holds a value that is neither a string nor a number");
  }
  const TomlTable& table_;
  std::string source_;
  std::string place_;
};

// Returns the numbers if every level is a finite number.
std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& levels) {
  std::vector<double> numbers;
  for (const auto& level : levels) {
    const auto number = parse_double(level);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool all_whole(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double n) { return n == std::round(n); });
}

std::string range_text(const StudyFactor& factor) {
  if (factor.minimum && factor.maximum)
    return fmt::format(" from {} to {}", *factor.minimum, *factor.maximum);
  if (factor.minimum) return fmt::format(" of at least {}", *factor.minimum);
  return factor.maximum ? fmt::format(" of at most {}", *factor.maximum) : "";
}

// Returns what is wrong with numeric levels; empty: nothing. `whole`: they must be whole numbers.
std::string fault_of_numbers(const StudyFactor& factor, const std::vector<std::string>& levels,
                             bool whole) {
  for (const auto& level : levels) {
    const auto number = parse_double(level);
    const bool fits =
        number && std::isfinite(*number) && (!whole || *number == std::round(*number)) &&
        *number >= factor.minimum.value_or(*number) && *number <= factor.maximum.value_or(*number);
    if (!fits) {
      return fmt::format("has the level '{}', which must be a {}number{}", escape_terminal(level),
                         whole ? "whole " : "", range_text(factor));
    }
  }
  return "";
}

// The words that a level may be. Empty: any.
NameSet words_of_levels(const StudyFactor& factor) {
  NameSet words{factor.choices};
  const auto has_text = [&](const auto& level) { return factor.texts.contains(level); };
  if (words.names.empty() && std::ranges::all_of(factor.levels, has_text)) {
    for (const auto& [level, text] : factor.texts) words.names.push_back(level);
  }
  return words;
}

// Returns what is wrong with these levels of the factor; empty: nothing.
std::string fault_of_levels(const StudyFactor& factor, const std::vector<std::string>& levels) {
  std::set<std::string> seen;
  for (const auto& level : levels) {
    const auto number = parse_double(level);
    const bool own = std::ranges::count(factor.levels, level) > 0;
    if (level.empty() && !own) return "has an empty level";
    if (number && !std::isfinite(*number)) {
      return fmt::format("has the level '{}', which is not a finite number", level);
    }
    if (!seen.insert(number ? fmt::format("{}", *number) : level).second) {
      return fmt::format("has the level '{}' twice", escape_terminal(level));
    }
  }
  if (is_board_factor(factor.name)) return "";
  if (const auto numbers = numbers_of(factor.levels); numbers && factor.choices.empty()) {
    return fault_of_numbers(factor, levels, all_whole(*numbers));
  }
  const NameSet words = words_of_levels(factor);
  for (const auto& level : levels) {
    if (words.names.empty() || std::ranges::count(words.names, level) > 0) continue;
    return fmt::format("has no level '{}': {}", escape_terminal(level), hint_for(level, words));
  }
  return "";
}

StudyFactor parse_factor(const StudyFile& file) {
  file.allow(
      {"name", "levels", "texts", "choices", "minimum", "maximum", "asked", "optional", "needs"});
  StudyFactor factor;
  factor.name = file.text("name");
  if (factor.name.empty()) file.fail("name", "is missing");
  if (file.find("levels") != nullptr && file.find("levels")->as<std::int64_t>() != nullptr) {
    factor.level_count = static_cast<int>(file.whole("levels", 0, 2, 1000));
    if (!is_board_factor(factor.name) || factor.name.ends_with("governor")) {
      file.fail("levels",
                "can be numbers only if the factor is a clock or the number of cores of the board");
    }
  } else {
    factor.levels = file.list("levels");
    if (factor.levels.empty()) file.fail("levels", "must have at least one level");
  }
  factor.texts = file.texts("texts");
  factor.choices = file.list("choices");
  factor.minimum = file.number("minimum");
  factor.maximum = file.number("maximum");
  if (factor.name == "batch") {
    factor.minimum = std::max(factor.minimum.value_or(kBatches.first), kBatches.first);
    factor.maximum = std::min(factor.maximum.value_or(kBatches.second), kBatches.second);
  }
  if (const auto fault = fault_of_levels(factor, factor.levels); !fault.empty()) {
    file.fail("levels", fault);
  }
  const bool ranged = file.find("minimum") != nullptr || file.find("maximum") != nullptr;
  if (ranged && (is_board_factor(factor.name) || !numbers_of(factor.levels))) {
    file.fail("minimum",
              "and 'factor.maximum' apply only to a factor of the command with numeric levels");
  }
  if (!factor.choices.empty() && is_board_factor(factor.name)) {
    file.fail("choices", "does not apply to a setting of the board");
  }
  factor.asked = file.flag("asked", true);
  factor.optional = file.flag("optional", false);
  if (factor.optional && !is_board_factor(factor.name)) {
    file.fail("optional", "applies only to a factor that is a setting of the board");
  }
  factor.needs = file.texts("needs");
  const auto require_levels = [&](const char* key, const auto& texts) {
    for (const auto& [level, text] : texts) {
      if (!contains(factor.levels, level)) {
        file.fail(key, "has a key that is not a level of the factor");
      }
    }
  };
  require_levels("texts", factor.texts);
  require_levels("needs", factor.needs);
  return factor;
}

std::string replace_names(const std::string& text,
                          const std::map<std::string, std::string>& values) {
  std::string filled;
  for (std::size_t at = 0; at < text.size(); ++at) {
    // Only {identifier} is replaced; other braces belong to the shell. In {shape_{net}}, the first
    // pass replaces the inner name and the next pass replaces {shape_lenet}.
    static constexpr std::string_view kIdentifier =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t end =
        text[at] == '{' ? text.find_first_not_of(kIdentifier, at + 1) : std::string::npos;
    if (end == std::string::npos || text[end] != '}' || end == at + 1) {
      filled += text[at];
      continue;
    }
    const std::string name = text.substr(at + 1, end - at - 1);
    const auto found = values.find(name);
    // ${X} is a shell variable if the study has no X.
    if (found == values.end() && at > 0 && text[at - 1] == '$') {
      filled += text[at];
      continue;
    }
    if (found == values.end()) {
      throw UsageError(
          "the command uses a name that is neither a factor nor a parameter of the study",
          "{" + name + "}");
    }
    filled += found->second;
    at = end;
  }
  return filled;
}

// Splits NAME=VALUE. `what` is the option, for the error.
std::pair<std::string, std::string> assignment(const std::string& text, const char* what) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw UsageError(std::string(what) + " needs NAME=VALUE", text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// `kind` is "factor" or "parameter"; `names` are the names of that kind in the study.
UsageError unknown_of(const Study& study, const std::string& kind, const std::string& name,
                      const NameSet& names) {
  return UsageError("study " + study.name + " has no " + kind + " '" + escape_terminal(name) + "'",
                    "", names.names.empty() ? "it has none" : hint_for(name, names));
}

// Returns the study's spelling of the name that the user gave.
std::string own_name(const Study& study, const std::string& kind, const std::string& text,
                     const NameSet& names) {
  const auto name = find_meant(text, names);
  return name ? *name : throw unknown_of(study, kind, text, names);
}

}  // namespace

bool is_board_factor(std::string_view name) {
  return name == "governor" || name == "gpu_governor" ||
         std::any_of(kKnobs.begin(), kKnobs.end(), [&](Knob k) { return knob_field(k) == name; });
}

Study parse_study(std::string_view toml, const std::string& source) {
  const TomlTable table = parse_toml(toml, source);
  const StudyFile file(table, source);
  file.allow({"name", "title", "question", "workload", "kind", "repeats", "command", "fake_command",
              "check", "fallback", "setup", "before", "needs", "responses", "parameters",
              "factor"});
  Study study;
  study.text = std::string(toml);
  study.name = file.text("name");
  if (study.name.empty()) file.fail("name", "is missing");
  study.title = file.text("title", study.name);
  study.question = file.text("question");
  study.workload = file.text("workload", study.name);
  study.kind = file.text("kind", study.kind);
  if (parse_double(study.kind)) file.fail("kind", "must be a word, such as inference or training");
  study.repeats = static_cast<int>(file.whole("repeats", 5, 2, 10000));
  study.command = file.text("command");
  if (study.command.empty()) file.fail("command", "is missing");
  study.fake_command = file.text("fake_command");
  study.check = file.text("check");
  study.fallback = file.text("fallback");
  if (!study.fallback.empty() && study.check.empty()) {
    file.fail("fallback", "needs the key 'check', which says when the fallback runs");
  }
  study.setup = file.text("setup");
  study.before = file.text("before");
  study.needs = file.list("needs");
  study.responses = file.list("responses");
  study.parameters = file.texts("parameters");
  const auto factors = table["factor"].tables();
  if (factors.empty()) file.fail("factor", "is missing; a study needs [[factor]] tables");
  for (const TomlTable* factor : factors) {
    study.factors.push_back(parse_factor({*factor, source, "factor."}));
    for (std::size_t i = 0; i + 1 < study.factors.size(); ++i) {
      if (study.factors[i].name == study.factors.back().name) {
        file.fail("factor", "names a factor twice");
      }
    }
  }
  return study;
}

Study load_study(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) {
    return parse_study(read_file(name_or_path, kMostBytes), name_or_path);
  }
  const NameSet known{list_studies()};
  const auto name = find_meant(name_or_path, known);
  if (!name)
    throw NotFoundError("there is no shipped study of this name", name_or_path,
                        hint_for(name_or_path, known));
  const auto files = embedded::studies();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const auto& f) { return f.name == *name + ".toml"; });
  return parse_study(unpacked(file->content), "embedded " + std::string(file->name));
}

std::vector<std::string> list_studies() {
  std::vector<std::string> names;
  for (const auto& file : embedded::studies()) {
    names.emplace_back(file.name.substr(0, file.name.size() - std::string_view(".toml").size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void change_study(Study& study, const StudyChanges& changes) {
  NameSet factors, parameters;
  for (const auto& factor : study.factors) factors.names.push_back(factor.name);
  for (const auto& [name, value] : study.parameters) parameters.names.push_back(name);
  for (const auto& text : changes.parameters) {
    const auto [name, value] = assignment(text, "--set");
    study.parameters[own_name(study, "parameter", name, parameters)] = value;
  }
  for (const auto& text : changes.levels) {
    const auto [given, values] = assignment(text, "--levels");
    const std::string name = own_name(study, "factor", given, factors);
    const auto found = std::find_if(study.factors.begin(), study.factors.end(),
                                    [&](const auto& factor) { return factor.name == name; });
    std::vector<std::string> levels;
    for (const auto& level : split(values, ',')) levels.emplace_back(trim(level));
    if (const auto fault = fault_of_levels(*found, levels); !fault.empty()) {
      throw UsageError(fmt::format("factor '{}' of study {} {}", name, study.name, fault));
    }
    found->levels = std::move(levels);
    found->given = true;
    found->level_count = 0;
  }
  if (changes.repeats > 0) study.repeats = changes.repeats;
}

std::vector<StudyRun> plan_study(const Study& study, std::uint64_t seed) {
  std::vector<StudyCell> cells = {{}};
  for (const auto& factor : study.factors) {
    std::vector<StudyCell> longer;
    for (const auto& cell : cells) {
      for (const auto& level : factor.levels) {
        longer.push_back(cell);
        longer.back().push_back(level);
      }
    }
    cells = std::move(longer);
    if (cells.size() * static_cast<std::size_t>(study.repeats) > kMostRuns) {
      throw UsageError("has more than 100,000 runs", study.name, "reduce levels or repeats");
    }
  }
  std::vector<StudyRun> runs;
  for (int block = 0; block < study.repeats; ++block) {
    Random(seed).fork(static_cast<std::uint64_t>(block)).shuffle(cells);
    for (const auto& cell : cells) runs.push_back({cell, std::to_string(block + 1)});
  }
  return runs;
}

std::string fill_command(const std::string& text, const Study& study, const StudyCell& cell) {
  std::map<std::string, std::string> values = study.parameters;
  for (std::size_t i = 0; i < study.factors.size() && i < cell.size(); ++i) {
    const auto& factor = study.factors[i];
    const auto found = factor.texts.find(cell[i]);
    // The text of a level may contain names of parameters and other factors.
    values[factor.name] = found != factor.texts.end() ? found->second : cell[i];
  }
  std::string filled = text;
  for (int depth = 0; depth < 3; ++depth) filled = replace_names(filled, values);
  return filled;
}

}  // namespace ridgewatt::study
