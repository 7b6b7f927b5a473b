// Changes the batch of a model that was exported with a fixed batch.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// Replaces the exported batch in `to`, the target of a Reshape of a tensor with the shape `from`.
// `open` is the index of the -1 in the target, negative without one. With a -1, replaces the first
// extent of `to` if it is the exported batch and the tensor's first extent is the new batch.
// Without a -1, scales the first extent whose scaling gives `to` as many elements as the tensor.
// Otherwise `to` stays unchanged.
void rebatch_target(const InferContext& context, const Shape& from, std::ptrdiff_t open, Shape& to);

}  // namespace ridgewatt::workload
