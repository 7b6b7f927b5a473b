// What is known of engines of language models that is not fitted: engines/engines.toml, which is
// embedded into the library and says what each field means.
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
  std::vector<std::string> rows;  // what measured rows call it
  std::string title, origin;      // of the release that is shipped; empty: it is not shipped
  bool gguf = false;              // reads files of GGUF, although the engine prefers others
  EngineTraits traits;
  std::vector<std::string> cached_prompts;
  std::string like;  // the variant whose prompts and power it has where its own are not measured
};

struct EngineFacts {
  std::string name;  // "llama.cpp"
  std::vector<std::string> words;
  std::string written_as;
  bool first = false;
  bool python = false;
  bool gguf = false;
  std::vector<std::string> takes;
  std::string usual;
  bool needs_fp8 = false;
  std::string library;  // of measure::kKnownLibraries, that its programs load; empty: none is known
  std::vector<std::pair<std::string, std::string>> means;
  std::vector<EngineVariant> variants;
};

// In the order of their names.
std::span<const EngineFacts> engine_facts();
// nullptr: it has no table.
const EngineFacts* find_engine_facts(std::string_view name);

// The variant that measured rows call so, with its engine; nullptrs: none.
struct FoundVariant {
  const EngineFacts* engine = nullptr;
  const EngineVariant* variant = nullptr;
};
FoundVariant find_variant_of_rows(std::string_view theirs);
// The variant of this name; nullptr: none.
const EngineVariant* find_variant(std::string_view name);

// InputError names the key of `source` that is wrong.
std::vector<EngineFacts> parse_engine_facts(std::string_view toml, const std::string& source);

}  // namespace ridgewatt::llm
