// Gives the symbolic extents of a model's inputs their values. Inside the room only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ridgewatt/workload/infer.h"

namespace ridgewatt {

// Sets type and shape of the main graph's inputs and fills batch, bound and assumed of `summary`.
// Returns the batch that the file was exported with: equal to summary.batch where the file leaves
// it open. Throws UsageError for an option that fits no input.
std::int64_t bind_inputs(Model& model, const InferOptions& options, InferSummary& summary);

// Replaces the extents of `tensor` whose symbols are bound.
void bind_known_symbols(Tensor& tensor, const std::map<std::string, std::int64_t>& bound);

}  // namespace ridgewatt
