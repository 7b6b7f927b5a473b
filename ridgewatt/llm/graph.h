// A language model as the graph of one step: an ordinary Model for shape inference, cost and twin.
// Also the cost of that graph with every weight in its stored width.
//
//   Model decode = step_graph(description, {.phase = StepPhase::kDecode, .tokens = 2048});
//   WorkloadCost cost = step_cost(description, tensors, {.tokens = 2048});
//
// A graph is created for one batch and one number of tokens, since both determine how many experts
// a step reads. A graph of 80 layers takes milliseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/forecast_answer.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"
#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::llm {

struct StepOptions {
  StepPhase phase = StepPhase::kDecode;
  std::int64_t batch = 1;
  std::int64_t tokens = 512;  // prompt length; for decode, tokens in the cache before the step
};

// The step as ONNX operators; nodes are named after their weights ("blk.0.attn_q/MatMul_0").
// * Every query attends to all keys, or to all keys in the window of its layer. The part of a
//   prompt that a causal kernel skips is included.
// * Of the routed experts, the graph contains as many as the step is expected to read, each with an
//   equal share of the tokens. Therefore it has fewer parameters than the model. Biases of experts
//   are left out.
// * Latent attention uses the latent cache in decode, and keys and values in prefill.
// * Only the last token of a prompt goes through the output head.
// Throws UsageError for a batch or number of tokens below 1 or a product above 2^24.
workload::Model step_graph(const Description& description, const StepOptions& options);

// The cost of the step in 16-bit arithmetic. Weights have the width in `tensors` (a weight without
// a tensor has the average width), the cache is stored in `kv_type`.
workload::WorkloadCost step_cost(const Description& description, std::span<const Tensor> tensors,
                                 const StepOptions& options, StoredType kv_type = StoredType::kF16);

}  // namespace ridgewatt::llm
