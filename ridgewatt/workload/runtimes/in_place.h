// Concatenations that cost nothing: their parts are written where they belong.
#pragma once

#include "ridgewatt/workload/runtimes/groups.h"
#include "ridgewatt/workload/runtimes/runtime_kernels.h"

namespace ridgewatt::workload {

struct InPlace {
  std::vector<LayoutCopy> copies;  // of parts that their producers cannot write there; by group
  std::vector<TensorId> kept;      // read as parts of a concatenation, or by copies
};

// Turns concatenations into views as the rules say and takes their groups away; storage of `plan`
// follows.
InPlace write_in_place(ExecutionPlan& plan, const RuntimeRules& rules, std::vector<Group>& groups);

}  // namespace ridgewatt::workload
