// Decides when a point of a microbenchmark has enough repetitions.
//
//   do times_s.push_back(repeat());
//   while (!enough_repetitions(times_s, spent_s, options));
#pragma once

#include <vector>

#include "ridgewatt/measure/microbench.h"

namespace ridgewatt::measure {

// Difference between the fastest repetitions of the two halves, relative to the faster one. Needs
// at least two repetitions.
double spread_of(const std::vector<double>& times_s);

// True after `seconds_per_point` or, if until_steady is set, as soon as the point is steady.
bool enough_repetitions(const std::vector<double>& times_s, double spent_s,
                        const MicrobenchOptions& options);

}  // namespace ridgewatt::measure
