// Checks whether contents can be broadcast.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Whether every element of `to` corresponds to one of `from` by numpy's rule. For static shapes.
bool broadcasts_to(const Shape& from, const Shape& to);

}  // namespace ridgewatt::workload
