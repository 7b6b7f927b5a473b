// Packed checkpoints as Hugging Face hosts them: the tensors that stand for one weight.
#pragma once

#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// Adds the tensors of `weight`. Products are packed; embeddings, head, norms and routers stay in 16
// bits.
void add_checkpoint_tensors(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all);

}  // namespace ridgewatt::llm
