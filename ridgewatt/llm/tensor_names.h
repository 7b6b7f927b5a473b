// Determines the role of a tensor from its name in GGUF or in a Hugging Face checkpoint, and
// describes models of unknown families from their tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {

struct TensorPlace {
  Role role = Role::kMatrix;
  int layer = -1;
};
TensorPlace place_of(std::string_view name, std::size_t dims);

// Sets `model.description` from the numbers if these explain all tensors. Otherwise it describes
// only the cache, from the numbers or the shapes of the key and value projections, sets
// weights_known to false and adds a remark. Throws InputError if even the cache cannot be
// described.
void describe_with_tensors(const Numbers& numbers, const std::string& source, LanguageModel& model);

}  // namespace ridgewatt::llm
