// Quantizations as recipes: which weight is stored in which type. They predict the size of a
// quantized model without its file.
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
  std::vector<std::int64_t> shape;  // outermost first; of one copy
  StoredType type = StoredType::kF32;
  double bytes = 0;         // of all copies
  std::int64_t copies = 1;  // number of tensors if the name has "{}"; else 1
  Role role = Role::kMatrix;
  int layer = -1;  // -1: of no layer

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
  kExpertsMxfp4,  // llama.cpp: experts in MXFP4, all else in Q8_0
  kAwq,
  kGptq,
  kPackedInt4,  // compressed-tensors, symmetric
  kInt8,        // compressed-tensors, a scale per output
  kFp8,         // the same
  kFp8Blocks,   // DeepSeek V3: a scale per 128 x 128
  kMxfp4,       // gpt-oss: experts in MXFP4, all else in BF16
  kNvfp4,       // ModelOpt: FP4, an FP8 scale per 16
  kNf4,         // bitsandbytes: 4 bits, a scale of 32 bits per 64
};

struct RecipeKindRow {
  RecipeKind id;
  bool gguf;          // files of llama.cpp; else checkpoints
  bool experts_only;  // only experts are stored in the type of the recipe
  Arithmetic units;   // that multiply its matrices as they are stored; FP16: none
};
inline constexpr auto kRecipeKindRows =
    enum_rows<RecipeKindRow>({{RecipeKind::kPlain, true, false, Arithmetic::kFp16},
                              {RecipeKind::kMixture, true, false, Arithmetic::kFp16},
                              {RecipeKind::kExpertsMxfp4, true, true, Arithmetic::kFp16},
                              {RecipeKind::kAwq, false, false, Arithmetic::kFp16},
                              {RecipeKind::kGptq, false, false, Arithmetic::kFp16},
                              {RecipeKind::kPackedInt4, false, false, Arithmetic::kFp16},
                              {RecipeKind::kInt8, false, false, Arithmetic::kInt8},
                              {RecipeKind::kFp8, false, false, Arithmetic::kFp8},
                              {RecipeKind::kFp8Blocks, false, false, Arithmetic::kFp8},
                              {RecipeKind::kMxfp4, false, true, Arithmetic::kFp16},
                              {RecipeKind::kNvfp4, false, false, Arithmetic::kFp4},
                              {RecipeKind::kNf4, false, false, Arithmetic::kFp16}});

// The weights that a mixture of llama.cpp stores in another type than most: quantization/mixture.h.
struct MixtureRules;

struct Recipe {
  std::string name;  // "q4_k_m"
  std::string description;
  RecipeKind kind = RecipeKind::kPlain;
  StoredType type = StoredType::kF16;  // of most matrices; for checkpoints, of unquantized tensors
  int bits = 4;                        // of packed integers
  int group = 128;                     // numbers that share a scale; 0: a whole row

  const MixtureRules* rules = nullptr;  // of a mixture; null: every matrix has the type

  const RecipeKindRow& facts() const { return kRecipeKindRows[kind]; }
  bool gguf() const { return facts().gguf; }
};

// All recipes, large to small: those of GGUF, then those of checkpoints.
std::span<const Recipe> recipes();
// By its name or by its name in engines (fp16, int4, smoothquant ..), ignoring case; '-' and '_'
// are equal. UsageError with the names.
const Recipe& find_recipe(std::string_view name);

// The tensors of the model as the recipe stores it. Bytes are those of the data; a GGUF file has a
// header with the vocabulary too, a few MB.
std::vector<Tensor> quantized(const Description& description, const Recipe& recipe);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
