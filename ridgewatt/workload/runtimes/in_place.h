// Concatenations without cost: their parts are written in place.
#pragma once

#include "ridgewatt/workload/runtimes/groups.h"
#include "ridgewatt/workload/runtimes/runtime_kernels.h"

namespace ridgewatt::workload {

struct InPlace {
  std::vector<LayoutCopy> copies;  // of parts that their producers cannot write in place; by group
  std::vector<TensorId> kept;      // read as parts of a concatenation, or by copies
};

// Turns concatenations into views according to the rules and removes their groups; updates the
// storage of `plan`.
InPlace write_in_place(ExecutionPlan& plan, const RuntimeRules& rules, std::vector<Group>& groups);

}  // namespace ridgewatt::workload
