// A language model as the graph of one step, an ordinary Model: what shape inference, cost and twin
// know, with the kernels that they count; and its cost with every weight as wide as it is stored.
//
//   Model decode = step_graph(description, {.phase = StepPhase::kDecode, .tokens = 2048});
//   WorkloadCost cost = step_cost(description, tensors, {.tokens = 2048});
//
// Graphs are made for one batch and one number of tokens: how many experts a step reads depends on
// both, and a graph of 80 layers takes milliseconds.
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
  std::int64_t tokens = 512;  // of the prompt; of decode: in the cache before the step
};

// The step as ONNX operators; nodes are named after their weights ("blk.0.attn_q/MatMul_0").
// * Queries meet all keys of their layer, at most a window of them; what a causal kernel skips of a
//   prompt is not taken off.
// * Of routed experts those stand there that the step is expected to read, each with an equal part
//   of the tokens; so the graph has fewer parameters than the model. Their biases are left out.
// * Latent attention works on the latent cache in decode, and on keys and values in prefill.
// * Only the last token of a prompt goes through the head.
// UsageError for a batch or number of tokens below 1 or a product above 2^24.
workload::Model step_graph(const Description& description, const StepOptions& options);

// The cost of the step in 16-bit arithmetic: weights as wide as `tensors` stores them (a weight of
// which no tensor tells: as wide as all on average), the cache in `kv_type`.
workload::WorkloadCost step_cost(const Description& description, std::span<const Tensor> tensors,
                                 const StepOptions& options, StoredType kv_type = StoredType::kF16);

}  // namespace ridgewatt::llm
