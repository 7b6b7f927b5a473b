// Engines as shipped: read from the embedded engines/language_models.toml.
#include <array>
#include <cctype>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/toml.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::llm {
namespace {

class EngineTable {
 public:
  EngineTable(const toml::table& table, std::string where)
      : table_(table), where_(std::move(where)) {}

  std::string text(std::string_view key) const {
    const auto found = table_[key].value_exact<std::string>();
    if (!found) fail(key, "must be text");
    return *found;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    const toml::array* array = table_[key].as_array();
    if (array == nullptr) fail(key, "must be a list of texts");
    for (const toml::node& node : *array) {
      const auto one = node.value_exact<std::string>();
      if (!one) fail(key, "must be a list of texts");
      all.push_back(*one);
    }
    return all;
  }
  template <std::size_t N>
  std::array<double, N> numbers(std::string_view key) const {
    std::array<double, N> all = {};
    const toml::array* array = table_[key].as_array();
    if (array == nullptr || array->size() != N) {
      fail(key, "must be a list of " + std::to_string(N) + " numbers");
    }
    for (std::size_t i = 0; i < N; ++i) {
      const auto one = array->get(i)->value<double>();
      if (!one || !std::isfinite(*one) || *one < 0) fail(key, "must be numbers of 0 and more");
      all[i] = *one;
    }
    return all;
  }
  std::size_t count(std::string_view key) const {
    const auto found = table_[key].value_exact<std::int64_t>();
    if (!found || *found < 0) fail(key, "must be a whole number of 0 and more");
    return static_cast<std::size_t>(*found);
  }

 private:
  [[noreturn]] void fail(std::string_view key, const std::string& fault) const {
    throw InputError(std::string(key) + " " + fault, where_);
  }
  const toml::table& table_;
  std::string where_;
};

std::vector<ShippedEngine> shipped_engines() {
  std::vector<ShippedEngine> all;
  for (const EmbeddedFile& file : embedded::engines()) {
    const toml::table parsed = parse_toml(file.content, std::string(file.name));
    const toml::table* named = parsed["engine"].as_table();
    if (named == nullptr)
      throw InputError("there is no table [engine.NAME]", std::string(file.name));
    for (const auto& [key, node] : *named) {
      const std::string name(key.str());
      if (!node.is_table()) throw InputError("engine." + name + " must be a table");
      const EngineTable table(*node.as_table(), std::string(file.name) + " engine." + name);
      ShippedEngine one;
      one.name = name;
      one.title = table.text("title");
      one.boards = table.texts("boards");
      one.quantizations = table.texts("quantizations");
      one.origin = table.text("origin");
      one.engine.step = table.numbers<kStepTerms>("step");
      one.engine.prompt = table.numbers<kPromptTerms>("prompt");
      one.engine.draw = table.numbers<kDrawTerms>("draw");
      one.engine.step_rows = table.count("step_rows");
      one.engine.prompt_rows = table.count("prompt_rows");
      one.engine.draw_rows = table.count("draw_rows");
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

std::span<const ShippedEngine> engines() {
  static const std::vector<ShippedEngine> kEngines = shipped_engines();
  return kEngines;
}

const ShippedEngine& find_engine(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::vector<std::string> names;
  for (const ShippedEngine& engine : engines()) {
    if (engine.name == wanted) return engine;
    names.push_back(engine.name);
  }
  throw_unknown_name("engine", name, names);
}

}  // namespace ridgewatt::llm
