// Checks whether contents can be broadcast.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// True if `from` can be broadcast to `to` by numpy's rule. Both shapes must be static.
bool broadcasts_to(const Shape& from, const Shape& to);

}  // namespace ridgewatt::workload
