// Changes the batch of a model that was exported with a fixed batch.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// A model that was exported with a fixed batch contains this batch in the targets of Reshape. If
// such a model is re-batched, this function replaces the batch in the target `to` of a tensor with
// the shape `from`. It replaces the first extent if that is the old batch and the tensor's first
// extent is the new one. Otherwise, if the target has no -1 (`open` is negative), it scales the
// extent that makes the number of elements match. Else `to` stays unchanged.
void rebatch_target(const InferContext& context, const Shape& from, std::ptrdiff_t open, Shape& to);

}  // namespace ridgewatt::workload
