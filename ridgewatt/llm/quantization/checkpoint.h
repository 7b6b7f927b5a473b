// Packed checkpoints in Hugging Face's formats: the tensors that represent one weight.
#pragma once

#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// Appends the tensors of `weight`. Matrices are packed; embeddings, output head, norms and routers
// have 16 bits.
void add_checkpoint_tensors(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all);

}  // namespace ridgewatt::llm
