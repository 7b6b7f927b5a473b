// Changes the batch of a model that was exported with a fixed batch.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// A model that was exported with a fixed batch contains it in the target of Reshape. If such a
// model is re-batched, replaces the batch in the target `to` of a tensor of shape `from`: its first
// extent, if it is the old batch and the tensor's is the new one, or, without a -1 at `open`, the
// extent that makes the number of elements match. Otherwise leaves `to` unchanged.
void rebatch_target(const InferContext& context, const Shape& from, std::ptrdiff_t open, Shape& to);

}  // namespace ridgewatt::workload
