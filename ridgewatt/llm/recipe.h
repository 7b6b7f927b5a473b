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

#include "ridgewatt/base/enum_rows.h"
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

// The kinds of recipes: one type for all, llama.cpp's mixtures, or packed checkpoints.
enum class RecipeKind {
  kPlain,  // one type for every matrix
  kMixture,
  kExpertsMxfp4,  // llama.cpp: experts in MXFP4, other matrices in Q8_0
  kAwq,
  kGptq,
  kPackedInt4,  // compressed-tensors, symmetric
  kInt8,        // compressed-tensors, one scale per output
  kFp8,         // compressed-tensors, one scale per output
  kFp8Blocks,   // DeepSeek V3: one scale per 128 x 128 block
  kMxfp4,       // gpt-oss: experts in MXFP4, other weights in BF16
  kNvfp4,       // ModelOpt: FP4, one FP8 scale per 16 weights
  kNf4,         // bitsandbytes: 4 bits, one 32-bit scale per 64 weights
};

struct RecipeKindRow {
  RecipeKind id;
  bool gguf;           // files of llama.cpp; false: checkpoints
  bool experts_only;   // only experts have the type of the recipe
  Arithmetic units;    // units that multiply its matrices in their stored type; FP16: none
  bool sized = false;  // configurations state bits and group
};
inline constexpr auto kRecipeKindRows =
    enum_rows<RecipeKindRow>({{RecipeKind::kPlain, true, false, Arithmetic::kFp16},
                              {RecipeKind::kMixture, true, false, Arithmetic::kFp16},
                              {RecipeKind::kExpertsMxfp4, true, true, Arithmetic::kFp16},
                              {RecipeKind::kAwq, false, false, Arithmetic::kFp16, true},
                              {RecipeKind::kGptq, false, false, Arithmetic::kFp16, true},
                              {RecipeKind::kPackedInt4, false, false, Arithmetic::kFp16, true},
                              {RecipeKind::kInt8, false, false, Arithmetic::kInt8},
                              {RecipeKind::kFp8, false, false, Arithmetic::kFp8},
                              {RecipeKind::kFp8Blocks, false, false, Arithmetic::kFp8},
                              {RecipeKind::kMxfp4, false, true, Arithmetic::kFp16},
                              {RecipeKind::kNvfp4, false, false, Arithmetic::kFp4},
                              {RecipeKind::kNf4, false, false, Arithmetic::kFp16}});

// How a Hugging Face configuration names a quantization.
struct ConfigQuantization {
  std::string_view method;       // quant_method; empty: none
  std::string_view format = "";  // empty: any
  bool blocks = false;  // it also has weight_block_size; such rows are tried before the others
};

// Which weights a mixture of llama.cpp stores in another type than most: quantization/mixture.h.
struct MixtureRules;

struct Recipe {
  std::string name;  // "q4_k_m"
  std::string description;
  RecipeKind kind = RecipeKind::kPlain;
  // Of most matrices; for checkpoints, of tensors that are not quantized.
  StoredType type = StoredType::kF16;
  int bits = 4;     // of packed integers
  int group = 128;  // weights that share a scale; 0: a whole row

  const MixtureRules* rules = nullptr;  // null: every matrix has `type`

  // Names in engines and files.
  std::vector<std::string_view> words = {};
  int gguf_file_type = -1;  // general.file_type, which is llama.cpp's llama_ftype; -1: none
  std::vector<ConfigQuantization> configs = {};

  const RecipeKindRow& facts() const { return kRecipeKindRows[kind]; }
  bool gguf() const { return facts().gguf; }
};

// All recipes: those of GGUF, then those of checkpoints, each from large to small.
std::span<const Recipe> recipes();
// Finds a recipe by its name, or its name in engines (fp16, int4, smoothquant, ..), ignoring case;
// '-' equals '_'. Throws UsageError that lists the names.
const Recipe& find_recipe(std::string_view name);
// Like find_recipe(), but only for recipes that GGUF files store. Throws UsageError with their
// names for any other recipe.
const Recipe& find_gguf_recipe(std::string_view name);

// The tensors of the model in this recipe. Bytes are those of the tensor data; a GGUF file also has
// a header with the vocabulary, of a few MB.
std::vector<Tensor> quantized(const Description& description, const Recipe& recipe);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
