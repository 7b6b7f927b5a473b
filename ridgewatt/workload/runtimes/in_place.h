// Removes concatenations whose parts are written in place.
#pragma once

#include "ridgewatt/workload/runtimes/groups.h"
#include "ridgewatt/workload/runtimes/runtime_kernels.h"

namespace ridgewatt::workload {

struct InPlace {
  // Copies of the parts that their producers cannot write in place, in the order of the kernels.
  std::vector<LayoutCopy> copies;
  std::vector<TensorId> kept;  // tensors read as parts of a concatenation, or by copies
};

// Turns concatenations into views according to the rules, removes their groups, and updates the
// storage of `plan`.
InPlace write_in_place(ExecutionPlan& plan, const RuntimeRules& rules, std::vector<Group>& groups);

}  // namespace ridgewatt::workload
