// Reads a language model from a GGUF file or its shards, a Hugging Face folder, a configuration
// without weights, an ONNX GenAI folder, or the zoo. Only headers of weight files are read.
//
//   const LanguageModel model = read_language_model("zoo:llama-3.2-1b");
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"

#pragma GCC visibility push(default)

namespace ridgewatt {
struct NameSet;
}  // namespace ridgewatt

namespace ridgewatt::llm {

enum class ModelFormat { kZoo, kGguf, kSafetensors, kConfig, kGenAi };
constexpr auto enum_names(ModelFormat) {
  return named<ModelFormat>({{ModelFormat::kZoo, "zoo"},
                             {ModelFormat::kGguf, "gguf"},
                             {ModelFormat::kSafetensors, "safetensors"},
                             {ModelFormat::kConfig, "config"},
                             {ModelFormat::kGenAi, "onnx-genai"}});
}

struct LanguageModel {
  std::string name;
  std::string source;        // path, or the source of the zoo's numbers
  std::string architecture;  // as named in the file
  ModelFormat format = ModelFormat::kZoo;
  // Layers and cache; also the weights if `weights_known`.
  Description description;
  // Whether the description determines all weights, so that the size in any quantization can be
  // predicted. If false, only `tensors` gives the size.
  bool weights_known = true;
  std::vector<Tensor> tensors;  // as stored; empty if there are no stored weights
  std::string stored_as;        // quantization of `tensors` or of the configuration; may be empty
  std::vector<std::string> remarks;
};

struct ZooModel {
  std::string_view name;  // "llama-3.2-1b"
  Numbers numbers;
  std::string_view source;
};
std::span<const ZooModel> language_zoo();
NameSet language_zoo_names();
const ZooModel* find_zoo_model(std::string_view name);  // null: the zoo has no such name
// Writes a model of the zoo as a GGUF file that llama.cpp can load. Weights are random or, without
// a seed, zeros that use no disk space. The vocabulary contains no real words. Throws UsageError if
// GGUF does not store the quantization, NotSupportedError for families that are not written, and
// the errors of write_output().
void write_language_model(const ZooModel& model, const Recipe& recipe, const std::string& path,
                          std::optional<std::uint64_t> random_seed = std::nullopt);

// Reads a file or folder, or "zoo:NAME". Throws NotFoundError, PermissionError, IoError, or
// InputError if a file is damaged, malicious or of an unknown kind.
LanguageModel read_language_model(const std::string& path_or_zoo);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
