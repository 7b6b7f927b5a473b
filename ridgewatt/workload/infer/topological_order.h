// The execution order of nodes: each after those that produce its inputs.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Sorts the nodes of `graph` (not of its bodies, which are sorted already) so that every tensor is
// produced before it is used, also by a body; the order of nodes that are already sorted does not
// change. Throws InputError naming a node of a cycle.
void sort_topologically(Graph& graph);

}  // namespace ridgewatt::workload
