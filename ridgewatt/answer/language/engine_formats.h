// Which engine runs which weights: the combinations that exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::answer {

// What an engine asks of weights.
struct WeightFormat {
  std::string name;                     // as a user reads it
  bool gguf = false;                    // of blocks that only GGUF has
  bool plain = false;                   // F32, F16 or BF16 throughout: every engine reads it
  std::optional<llm::RecipeKind> kind;  // nothing: not one that is known
};
WeightFormat format_of(const llm::Recipe& recipe);
WeightFormat format_of_stored(const llm::LanguageModel& model);

// Why `engine` does not run these weights on the board, "tensorrt-llm does not run q4_k_m: it
// takes f16, ..": empty where it does. Engines that the table does not know run everything.
std::string why_not_run(std::string_view engine, const WeightFormat& weights, const Board& board);

// The recipe of about four bits that an engine is usually given.
std::string_view usual_recipe(std::string_view engine);

}  // namespace ridgewatt::answer
