#include "ridgewatt/llm/engine_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/engine/engine_table.h"

namespace ridgewatt::llm {
namespace {

std::vector<std::string> texts_in(const TomlNode& node, const EngineTable& table,
                                  std::string_view key) {
  const auto* array = node.as<TomlArray>();
  if (array == nullptr) table.fail(key, "must be an array of strings");
  std::vector<std::string> all;
  for (const TomlNode& one : *array) {
    const auto* text = one.as<std::string>();
    if (text == nullptr) table.fail(key, "must be an array of strings");
    all.push_back(*text);
  }
  return all;
}

EngineVariant parse_variant(const TomlTable& toml, const std::string& where) {
  const EngineTable table(toml, where);
  EngineVariant one;
  one.name = table.text("name");
  one.rows = table.texts("rows");
  if (table.has("title")) {
    one.title = table.text("title");
    one.origin = table.text("origin");
  }
  one.gguf = table.has("gguf") && table.flag("gguf");
  one.traits = {table.flag("launches_ahead"), table.flag("fused_attention"),
                table.flag("fused_layers"), table.flag("narrow_products"),
                table.flag("host_sampling")};
  if (table.has("host_work")) one.traits.host_work = table.number("host_work");
  if (table.has("like")) one.like = table.text("like");
  if (table.has("cached_prompts")) one.cached_prompts = table.texts("cached_prompts");
  return one;
}

EngineFacts parse_facts(const TomlTable& toml, const std::string& source) {
  EngineFacts one;
  one.name = EngineTable(toml, source).text("name");
  const EngineTable table(toml, source + " engine " + one.name);
  one.words = table.texts("words");
  one.written_as = table.text("written_as");
  one.first = table.flag("first");
  one.python = table.flag("python");
  one.gguf = table.flag("gguf");
  one.takes = table.texts("takes");
  one.caches = table.texts("caches");
  one.usual = table.text("usual");
  one.needs_fp8 = table.flag("needs_fp8");
  one.processor = table.flag("processor");
  one.gpu_only = table.flag("gpu_only");
  one.library = table.text("library");
  if (const auto* means = toml["means"].as<TomlArray>()) {
    for (const TomlNode& node : *means) {
      const auto pair = texts_in(node, table, "means");
      if (pair.size() != 2) table.fail("means", "must be an array of pairs of strings");
      one.means.emplace_back(pair[0], pair[1]);
    }
  }
  for (const TomlTable* variant : tables_of(toml, "variant", table.where())) {
    one.variants.push_back(parse_variant(*variant, table.where()));
  }
  return one;
}

}  // namespace

std::string EngineTable::text(std::string_view key) const {
  const auto* found = table_[key].as<std::string>();
  if (found == nullptr) fail(key, "must be a string");
  return *found;
}
std::vector<std::string> EngineTable::texts(std::string_view key) const {
  return texts_in(table_[key], *this, key);
}
double EngineTable::number(std::string_view key) const {
  const auto one = table_[key].number();
  if (!one || !std::isfinite(*one) || *one <= 0) fail(key, "must be a positive number");
  return *one;
}
bool EngineTable::flag(std::string_view key) const {
  const auto* found = table_[key].as<bool>();
  if (found == nullptr) fail(key, "must be true or false");
  return *found;
}
void EngineTable::fail(std::string_view key, std::string_view fault) const {
  throw InputError(fmt::format("{} {}", key, fault), where_);
}

std::vector<const TomlTable*> tables_of(const TomlTable& table, std::string_view key,
                                        const std::string& source) {
  auto all = table[key].tables();
  if (all.empty()) throw InputError(std::string(key) + " must be an array of tables", source);
  return all;
}

const EmbeddedFile& embedded_engines(std::string_view name) {
  const auto files = embedded::engines();
  return *std::find_if(files.begin(), files.end(),
                       [&](const EmbeddedFile& file) { return file.name == name; });
}

std::vector<EngineFacts> parse_engine_facts(std::string_view toml, const std::string& source) {
  const TomlTable parsed = parse_toml(toml, source);
  std::vector<EngineFacts> all;
  for (const TomlTable* engine : tables_of(parsed, "engine", source)) {
    all.push_back(parse_facts(*engine, source));
  }
  return all;
}

std::span<const EngineFacts> engine_facts() {
  static const std::vector<EngineFacts> kFacts = [] {
    const EmbeddedFile& file = embedded_engines("engines.toml");
    return parse_engine_facts(unpacked(file.content), std::string(file.name));
  }();
  return kFacts;
}

const EngineFacts* find_engine_facts(std::string_view name) {
  for (const EngineFacts& engine : engine_facts()) {
    if (engine.name == name) return &engine;
  }
  return nullptr;
}

FoundVariant find_variant_of_rows(std::string_view theirs) {
  for (const EngineFacts& engine : engine_facts()) {
    for (const EngineVariant& variant : engine.variants) {
      if (contains(variant.rows, theirs)) {
        return {&engine, &variant};
      }
    }
  }
  return {};
}

const EngineVariant* find_variant(std::string_view name) {
  for (const EngineFacts& engine : engine_facts()) {
    for (const EngineVariant& variant : engine.variants) {
      if (variant.name == name) return &variant;
    }
  }
  return nullptr;
}

EngineTraits engine_traits(std::string_view name) {
  if (const EngineVariant* variant = find_variant(name)) return variant->traits;
  const EngineFacts* engine = find_engine_facts(name);
  return engine == nullptr ? EngineTraits{} : engine->variants.front().traits;
}

}  // namespace ridgewatt::llm
