#include "ridgewatt/llm/recipe.h"

#include <algorithm>
#include <utility>

#include "ridgewatt/base/error.h"
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
  using enum StoredType;
  const auto plain = [](std::string_view name, int file_type, StoredType type) {
    return Recipe{.name = std::string(name),
                  .description = "every matrix in one type",
                  .type = type,
                  .gguf_file_type = file_type};
  };
  const auto mixture = [&](std::string_view name, int file_type, StoredType type,
                           const MixtureRules* rules = nullptr) {
    Recipe recipe = plain(name, file_type, type);
    recipe.description = "llama.cpp's mixture";
    recipe.rules = rules;
    return recipe;
  };
  Recipe f16 = plain("f16", 1, kF16);
  f16.words = {"w16a16"};
  std::vector<Recipe> all = {
      plain("f32", 0, kF32),
      std::move(f16),
      plain("bf16", 32, kBf16),
      mixture("q8_0", 7, kQ80),
      mixture("q6_k", 18, kQ6K),
      mixture("q5_1", 9, kQ51),
      mixture("q5_k_m", 17, kQ5K, &mixtures::kQ5KMRules),
      mixture("q5_k_s", 16, kQ5K),
      mixture("q5_0", 8, kQ50),
      mixture("q4_1", 3, kQ41),
      mixture("q4_k_m", 15, kQ4K, &mixtures::kQ4KMRules),
      mixture("q4_k_s", 14, kQ4K, &mixtures::kQ4KSRules),
      mixture("q4_0", 2, kQ40),
      mixture("iq4_nl", 25, kIq4Nl, &mixtures::kIq4Rules),
      mixture("iq4_xs", 30, kIq4Xs, &mixtures::kIq4Rules),
      mixture("q3_k_l", 13, kQ3K, &mixtures::kQ3KLRules),
      mixture("q3_k_m", 12, kQ3K, &mixtures::kQ3KMRules),
      mixture("q3_k_s", 11, kQ3K, &mixtures::kQ3KSRules),
      mixture("q2_k", 10, kQ2K, &mixtures::kQ2KRules),
      {.name = "mxfp4_moe",
       .description = "llama.cpp: experts in MXFP4, all else in Q8_0",
       .type = kMxfp4,
       .experts_only = true,
       .gguf_file_type = 38},
  };
  for (Recipe& recipe : checkpoint_recipes()) all.push_back(std::move(recipe));
  return all;
}

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

NameSet recipe_names(bool only_gguf) {
  NameSet set;
  for (const Recipe& recipe : recipes()) {
    if (only_gguf && !recipe.gguf()) continue;
    set.names.push_back(recipe.name);
    for (const std::string_view word : recipe.words) {
      set.synonyms.push_back({std::string(word), recipe.name});
    }
  }
  return set;
}

const Recipe& recipe_called(const std::string& name) {
  return *std::find_if(recipes().begin(), recipes().end(),
                       [&](const Recipe& recipe) { return recipe.name == name; });
}

}  // namespace

const Recipe& find_recipe(std::string_view name) {
  static const NameSet kNames = recipe_names(false);
  return recipe_called(require_name("quantization", name, kNames));
}

const Recipe& find_gguf_recipe(std::string_view name) {
  static const NameSet kNames = recipe_names(true);
  static const NameSet kAll = recipe_names(false);
  const auto meant = find_meant(name, kAll);
  if (meant && !recipe_called(*meant).gguf()) {
    throw UsageError("a GGUF file does not store this quantization", *meant,
                     "choose one of " + joined_names(kNames.names));
  }
  return recipe_called(require_name("quantization", name, kNames));
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
