// Quantization recipes: which weight is stored in which type. They predict the size of a quantized
// model without its file.
//
//   quantized(description, find_recipe("q4_k_m"));  // the tensors, 4.58 GiB for Llama-3.1-8B
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/stored_type.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

// A tensor as stored in a file, real or predicted.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;  // of one copy, outermost dimension first
  StoredType type = StoredType::kF32;
  double bytes = 0;         // of all copies
  std::int64_t copies = 1;  // number of tensors if the name contains "{}", otherwise 1
  Role role = Role::kMatrix;
  int layer = -1;  // -1: not in a layer

  std::int64_t elements() const {  // of all copies
    std::int64_t product = copies;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
};

double bytes_of(std::span<const Tensor> tensors);

// The names by which a Hugging Face configuration identifies a quantization.
struct ConfigQuantization {
  std::string_view method;       // quant_method; empty: none
  std::string_view format = "";  // empty: any
  bool blocks = false;           // also has weight_block_size; such rows are tried first
};

// The weights that a mixture of llama.cpp stores in another type than most: quantization/mixture.h.
struct MixtureRules;

// Adds the tensors that a checkpoint stores for one matrix: quantization/checkpoint.cc.
class PackedMatrix;
using CheckpointLayout = void (*)(PackedMatrix&);

struct Recipe {
  std::string name;  // "q4_k_m"
  std::string description;
  CheckpointLayout layout = nullptr;  // null: a file of GGUF
  // Type of most matrices; for checkpoints, of tensors that are not quantized.
  StoredType type = StoredType::kF16;
  int bits = 4;               // of packed integers
  int group = 128;            // weights that share a scale; 0: a whole row
  bool sized = false;         // whether configurations state bits and group
  bool experts_only = false;  // whether only experts have the type of the recipe
  // Arithmetic in which GPUs multiply its matrices directly, if they have units for it. FP16: never
  // directly.
  Arithmetic units = Arithmetic::kFp16;

  const MixtureRules* rules = nullptr;  // null: every matrix has `type`

  // Names in engines and files.
  std::vector<std::string_view> words = {};
  int gguf_file_type = -1;  // general.file_type, which is llama.cpp's llama_ftype; -1: none
  std::vector<ConfigQuantization> configs = {};

  bool gguf() const { return layout == nullptr; }
};

// All recipes: first for GGUF, then for checkpoints, each from large to small.
std::span<const Recipe> recipes();
// Finds a recipe by its name, or its name in engines (fp16, int4, smoothquant, ..), ignoring case;
// '-' equals '_'. Throws UsageError that lists the names.
const Recipe& find_recipe(std::string_view name);
// Like find_recipe(), but only for recipes that GGUF files store. Throws UsageError with their
// names for any other recipe.
const Recipe& find_gguf_recipe(std::string_view name);

// The tensors of the model in this recipe. Bytes include only tensor data. A GGUF file also has a
// header with the vocabulary, of a few MB.
std::vector<Tensor> quantized(const Description& description, const Recipe& recipe);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
