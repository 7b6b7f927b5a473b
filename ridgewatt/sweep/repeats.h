// Combines repeated measurements of one operating point into one row.
#pragma once

#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// Returns the median time and energy of the rows of one point (at least one row). The power is the
// median energy divided by the median time, or the median power if a row lacks an energy. The
// result has an energy, median time or stall only if every row has it.
Observation median_of_repeats(const std::vector<Observation>& repeats);

}  // namespace ridgewatt
