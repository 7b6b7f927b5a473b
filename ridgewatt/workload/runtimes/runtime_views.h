// Finds the steps of a plan that cost nothing in a runtime because their result is read in place.
#pragma once

#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Turns slices and transpositions into views or kernels, according to the rules.
void set_views(ExecutionPlan& plan, const RuntimeRules& rules);

// Recomputes the storage after the kinds of steps changed. `before` holds the previous kinds.
void rebuild_storage(ExecutionPlan& plan, const std::vector<StepKind>& before);

}  // namespace ridgewatt::workload
