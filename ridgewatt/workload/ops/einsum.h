// Plans Einstein sums such as "bij,bjk->bik".
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

struct EinsumPlan {
  Shape output;
  // Extent of every index, including summed ones. The axes of an ellipsis are named "0", "1", ...,
  // counted from the last axis.
  std::map<char, std::int64_t> extents;
  // Indices that do not occur in the output.
  std::string summed;
};

// Empty if the rank of an input is unknown. Unknown extents stay unknown. Throws InputError if the
// equation does not fit the inputs.
std::optional<EinsumPlan> plan_einsum(const OpContext& context);

}  // namespace ridgewatt::workload
