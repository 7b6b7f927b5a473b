// The order in which nodes can run: each after those that make its inputs.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Puts the nodes of `graph` (not of its bodies, which are sorted already) into an order in which
// every tensor is given before it is used, also by a body; nodes that are in order stay as they
// are. Throws InputError naming a node of a cycle.
void sort_topologically(Graph& graph);

}  // namespace ridgewatt::workload
