// Facts about engines of language models that are not fitted, read from engines/engines.toml. That
// file is embedded into the library and explains each field.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/llm/engine.h"

namespace ridgewatt::llm {

struct EngineVariant {
  std::string name;               // "llama.cpp b5283"
  std::vector<std::string> rows;  // its names in measured rows
  std::string title, origin;      // of the release in language_models.toml; empty: none
  bool gguf = false;              // reads GGUF, although the engine prefers other formats
  EngineTraits traits;
  std::vector<std::string> cached_prompts;
  std::string like;  // variant whose prompt times and power are used if its own are not measured
};

struct EngineFacts {
  std::string name;  // "llama.cpp"
  std::vector<std::string> words;
  std::string written_as;
  bool first = false;
  bool python = false;
  bool gguf = false;
  std::vector<std::string> takes;
  std::vector<std::string> caches;  // types of the cache that it stores, as in llm/fits.h
  std::string usual;
  bool needs_fp8 = false;
  bool processor = false;  // whether it is modelled on boards without a GPU
  bool gpu_only = false;   // computes no layer on the CPU
  std::string library;  // library of its programs, named as in measure::kKnownLibraries; or empty
  std::vector<std::pair<std::string, std::string>> means;
  std::vector<EngineVariant> variants;
};

// All engines, sorted by name.
std::span<const EngineFacts> engine_facts();
// Null if there is no such engine.
const EngineFacts* find_engine_facts(std::string_view name);

// Finds a variant, with its engine, by its name in measured rows. Null pointers if there is none.
struct FoundVariant {
  const EngineFacts* engine = nullptr;
  const EngineVariant* variant = nullptr;
};
FoundVariant find_variant_of_rows(std::string_view theirs);
// Finds a variant by name; null if there is none.
const EngineVariant* find_variant(std::string_view name);

// Throws InputError that names the faulty key of `source`.
std::vector<EngineFacts> parse_engine_facts(std::string_view toml, const std::string& source);

}  // namespace ridgewatt::llm
