// Sorts nodes such that each node follows the producers of its inputs.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Sorts the nodes of `graph`, but not of its bodies, which must be sorted already. Every tensor is
// then produced before it is used, including uses by a body. Sorted nodes keep their order. Throws
// InputError, naming a node of the cycle, if there is one.
void sort_topologically(Graph& graph);

}  // namespace ridgewatt::workload
