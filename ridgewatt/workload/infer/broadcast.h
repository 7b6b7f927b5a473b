// Whether contents may be walked by the rule of broadcasting.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Whether every element of `to` has one of `from` by numpy's rule. Of static shapes.
bool broadcasts_to(const Shape& from, const Shape& to);

}  // namespace ridgewatt::workload
