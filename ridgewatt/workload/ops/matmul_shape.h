// The shape of a matrix product with the broadcasting of numpy.matmul.
#pragma once

#include <optional>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// Returns the shape of numpy.matmul(a, b). Empty if a rank is unknown. Throws InputError if the
// inner extents differ.
std::optional<Shape> matmul_shape(const OpContext& context, const Shape* a, const Shape* b);

}  // namespace ridgewatt::workload
