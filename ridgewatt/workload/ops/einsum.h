// Einstein sums, "bij,bjk->bik".
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

struct EinsumPlan {
  Shape output;
  // Extent of every index, summed ones included. An ellipsis' axes are the digits "0", "1", ...,
  // from the last axis.
  std::map<char, std::int64_t> extents;
  // Indices that do not occur in the output.
  std::string summed;
};

// Nothing when an input's rank is unknown; unknown extents stay unknown. Fails on an equation that
// does not fit the inputs.
std::optional<EinsumPlan> plan_einsum(const OpContext& context);

}  // namespace ridgewatt::workload
