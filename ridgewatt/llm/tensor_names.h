// What a tensor is for, by its name in GGUF or in a Hugging Face checkpoint; and descriptions of
// models of which nothing more is known.
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

// Sets `model.description` from the numbers where they explain the tensors that it has; else keeps
// of them what the cache needs, or takes that from the rows of the products that make keys and
// values, sets weights_known to false and says so. InputError where neither can be.
void describe_with_tensors(const Numbers& numbers, const std::string& source, LanguageModel& model);

}  // namespace ridgewatt::llm
