// Gives a model that was exported with a fixed batch another one.
#pragma once

#include <cstddef>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// A model that was exported with a fixed batch spells it in the target of Reshape. When such a
// model is re-batched, replaces the batch in the target `to` of a tensor of shape `from`: its first
// extent, when it is the old batch and the tensor's is the new one, or, without a -1 at `open`,
// whichever extent makes the number of elements come out. Otherwise leaves `to` as it is.
void rebatch_target(const InferContext& context, const Shape& from, std::ptrdiff_t open, Shape& to);

}  // namespace ridgewatt::workload
