#include "ridgewatt/llm/recipe.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ridgewatt/base/suggest.h"
#include "ridgewatt/llm/quantization/checkpoint.h"
#include "ridgewatt/llm/quantization/mixture.h"

namespace ridgewatt::llm {
namespace {

namespace mixtures {

using enum StoredType;
using Change = MixtureChange;

constexpr MixtureRules kQ5KMRules = {.values = {Change{kQ6K, Change::Where::kEdges}},
                                     .down = {Change{kQ6K, Change::Where::kEdges}}};
constexpr MixtureRules kQ4KMRules = {.values = {Change{kQ6K, Change::Where::kEdges}},
                                     .down = {Change{kQ6K, Change::Where::kEdges}},
                                     .more_for_eight = true};
constexpr MixtureRules kQ4KSRules = {.values = {Change{kQ5K, Change::Where::kFirst, 4}},
                                     .down = {Change{kQ5K, Change::Where::kShare, 8}},
                                     .more_for_eight = true};
constexpr MixtureRules kIq4Rules = {.values = {Change{kQ5K, Change::Where::kManyQueries}},
                                    .down = {Change{kQ5K, Change::Where::kShare, 8}},
                                    .more_for_eight = true};
constexpr MixtureRules kQ3KLRules = {
    .values = {Change{kQ5K}}, .down = {Change{kQ5K}}, .output = kQ5K};
constexpr MixtureRules kQ3KMRules = {
    .values = {Change{kQ5K, Change::Where::kFirst, 2}, Change{kQ4K}},
    .down = {Change{kQ5K, Change::Where::kShare, 16}, Change{kQ4K}},
    .output = kQ4K,
    .more_for_eight = true};
constexpr MixtureRules kQ3KSRules = {.more_for_eight = true};
constexpr MixtureRules kQ2KRules = {
    .values = {Change{kQ4K, Change::Where::kManyQueries}, Change{kQ3K}},
    .down = {Change{kQ3K}},
    .output = kQ3K,
    .more_for_eight = true};

}  // namespace mixtures

std::vector<Recipe> all_recipes() {
  const auto plain = [](const char* name, StoredType type) {
    return Recipe{name, "every matrix in one type", RecipeKind::kPlain, type};
  };
  const auto mixture = [](const char* name, StoredType type, const MixtureRules* rules = nullptr) {
    return Recipe{name, "llama.cpp's mixture", RecipeKind::kMixture, type, 4, 128, rules};
  };
  using enum StoredType;
  return {
      plain("f32", kF32),
      plain("f16", kF16),
      plain("bf16", kBf16),
      mixture("q8_0", kQ80),
      mixture("q6_k", kQ6K),
      mixture("q5_1", kQ51),
      mixture("q5_k_m", kQ5K, &mixtures::kQ5KMRules),
      mixture("q5_k_s", kQ5K),
      mixture("q5_0", kQ50),
      mixture("q4_1", kQ41),
      mixture("q4_k_m", kQ4K, &mixtures::kQ4KMRules),
      mixture("q4_k_s", kQ4K, &mixtures::kQ4KSRules),
      mixture("q4_0", kQ40),
      mixture("iq4_nl", kIq4Nl, &mixtures::kIq4Rules),
      mixture("iq4_xs", kIq4Xs, &mixtures::kIq4Rules),
      mixture("q3_k_l", kQ3K, &mixtures::kQ3KLRules),
      mixture("q3_k_m", kQ3K, &mixtures::kQ3KMRules),
      mixture("q3_k_s", kQ3K, &mixtures::kQ3KSRules),
      mixture("q2_k", kQ2K, &mixtures::kQ2KRules),
      {"mxfp4_moe", "llama.cpp: experts in MXFP4, all else in Q8_0", RecipeKind::kExpertsMxfp4,
       kMxfp4},
      {"int8", "compressed-tensors: 8 bits, a scale per output", RecipeKind::kInt8, kBf16, 8, 0},
      {"fp8", "compressed-tensors: FP8, a scale per output", RecipeKind::kFp8, kBf16, 8, 0},
      {"fp8_block", "DeepSeek V3: FP8, a scale per 128 x 128", RecipeKind::kFp8Blocks, kBf16, 8, 0},
      {"awq", "AWQ: 4 bits in groups of 128, with zeros", RecipeKind::kAwq, kF16},
      {"gptq", "GPTQ: 4 bits in groups of 128, with zeros and order", RecipeKind::kGptq, kF16},
      {"w4a16", "compressed-tensors: 4 bits in groups of 128", RecipeKind::kPackedInt4, kBf16},
      {"nf4", "bitsandbytes: 4 bits in groups of 64", RecipeKind::kNf4, kBf16, 4, 64},
      {"nvfp4", "ModelOpt: FP4 in groups of 16", RecipeKind::kNvfp4, kBf16, 4, 16},
      {"mxfp4", "gpt-oss: experts in MXFP4, all else in 16 bits", RecipeKind::kMxfp4, kBf16},
  };
}

// What engines and checkpoints call these: TensorRT-LLM's INT4 is AWQ, its INT8 SmoothQuant, whose
// weights are those of compressed tensors in 8 bits.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOtherNames = {
    {{"w16a16", "f16"},
     {"int4", "awq"},
     {"int4_awq", "awq"},
     {"w4a16_awq", "awq"},
     {"int8_sq", "int8"},
     {"smoothquant", "int8"},
     {"w8a8", "int8"},
     {"w8a16", "int8"},
     {"4bit", "nf4"},
     {"bnb_4bit", "nf4"},
     {"bitsandbytes", "nf4"},
     {"w4a4", "nvfp4"},
     {"fp4", "nvfp4"}}};

}  // namespace

double bytes_of(std::span<const Tensor> tensors) {
  double sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.bytes;
  return sum;
}

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> kRecipes = all_recipes();
  return kRecipes;
}

namespace {

NameSet recipe_names() {
  NameSet set;
  for (const Recipe& recipe : recipes()) set.names.emplace_back(recipe.name);
  for (const auto& [word, name] : kOtherNames) {
    set.synonyms.push_back({std::string(word), std::string(name)});
  }
  return set;
}

}  // namespace

const Recipe& find_recipe(std::string_view name) {
  static const NameSet kNames = recipe_names();
  const std::string known = require_name("quantization", name, kNames);
  return *std::find_if(recipes().begin(), recipes().end(),
                       [&](const Recipe& recipe) { return recipe.name == known; });
}

std::vector<Tensor> quantized(const Description& description, const Recipe& recipe) {
  std::vector<Tensor> all;
  Mixture mixture(description, recipe);
  for (const Weight& weight : weights_of(description)) {
    if (!recipe.gguf()) {
      add_checkpoint_tensors(weight, recipe, all);
      continue;
    }
    Tensor tensor{weight.gguf, weight.shape, mixture.type_of(weight), 0, 1,
                  weight.role, weight.layer};
    if (weight.copies > 1) tensor.shape.insert(tensor.shape.begin(), weight.copies);
    tensor.bytes = stored_bytes(tensor.type, weight.elements());
    all.push_back(std::move(tensor));
  }
  return all;
}

}  // namespace ridgewatt::llm
