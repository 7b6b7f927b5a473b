// Packed checkpoints in Hugging Face's formats: the tensors that represent one weight.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// The recipes of checkpoints, from large to small.
std::vector<Recipe> checkpoint_recipes();

// True if only a packed checkpoint has a tensor with this name.
bool shows_packing(std::string_view name);
// True for zeros or scales of packed weights, which belong to another tensor.
bool is_of_another(std::string_view name);

// Appends the tensors of `weight`. Matrices are packed; embeddings, output head, norms and routers
// have 16 bits.
void add_checkpoint_tensors(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all);

}  // namespace ridgewatt::llm
