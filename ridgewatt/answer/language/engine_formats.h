// Determines whether an engine can run weights in a format.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::answer {

// Properties of weights that decide which engines can run them.
struct WeightFormat {
  std::string name;                     // for people
  bool gguf = false;                    // block format that only GGUF has
  bool plain = false;                   // only F32, F16 and BF16, which every engine can read
  const llm::Recipe* recipe = nullptr;  // one of llm::recipes(); null: unknown
};
// `recipe` is one of llm::recipes().
WeightFormat format_of(const llm::Recipe& recipe);
WeightFormat format_of_stored(const llm::LanguageModel& model);

// Returns why `engine` cannot run these weights with this cache on any board; see why_not_run().
std::string why_not_taken(std::string_view engine, const WeightFormat& weights, llm::KvType cache);

// Returns why `engine` cannot run these weights with this cache on the board, such as "tensorrt-llm
// does not run q4_k_m: it takes f16, ..". Empty if `engine` can run them. Engines that are not in
// the table are assumed to run everything.
std::string why_not_run(std::string_view engine, const WeightFormat& weights, llm::KvType cache,
                        const Board& board);

// Returns the recipe of about four bits that is usual for an engine.
std::string_view usual_recipe(std::string_view engine);

}  // namespace ridgewatt::answer
