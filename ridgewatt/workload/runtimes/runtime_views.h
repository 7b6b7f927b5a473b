// Finds the steps of a plan without cost for a runtime, because their result is read in place.
#pragma once

#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Parts and transpositions become views or kernels, according to the rules.
void set_views(ExecutionPlan& plan, const RuntimeRules& rules);

// The storage that follows from the kinds of steps, where they changed. `before`: as they were.
void rebuild_storage(ExecutionPlan& plan, const std::vector<StepKind>& before);

}  // namespace ridgewatt::workload
