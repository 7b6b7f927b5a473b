// A language model as it was found: a GGUF file or its shards, a Hugging Face folder, a
// configuration alone, an ONNX GenAI folder, or an entry of the zoo. Only headers are read.
//
//   const LanguageModel model = read_language_model("zoo:llama-3.2-1b");
#pragma once

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
  std::string source;        // path, or where the zoo's numbers come from
  std::string architecture;  // its name in the file
  ModelFormat format = ModelFormat::kZoo;
  // The cache and, if `weights_known`, the weights.
  Description description;
  // Whether the weights follow from the description, so that the size in any quantization can be
  // predicted. If not, only `tensors` gives the size.
  bool weights_known = true;
  std::vector<Tensor> tensors;  // as stored; empty if there is only a description
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

// A path of a file or folder, or zoo:NAME. Throws NotFoundError, PermissionError, IoError, or
// InputError if a file is damaged, hostile or of an unknown kind.
LanguageModel read_language_model(const std::string& path_or_zoo);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
