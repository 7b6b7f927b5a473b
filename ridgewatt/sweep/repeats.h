// Repeats of one operating point as one row.
#pragma once

#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// The median time and energy of at least one row of one point and, so that the three agree, the
// power of those; without an energy the median power. An energy, median or stall that one of them
// lacks is not known.
Observation median_of_repeats(const std::vector<Observation>& repeats);

}  // namespace ridgewatt
