// Combines repeats of one operating point into one row.
#pragma once

#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// The median time and energy of the rows of one point (at least one row). The power follows from
// these two, so that the three agree; without an energy it is the median power. An energy, median
// or stall that one of the rows lacks is unknown.
Observation median_of_repeats(const std::vector<Observation>& repeats);

}  // namespace ridgewatt
