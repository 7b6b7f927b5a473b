// How many repetitions of a point of a microbenchmark are enough.
//
//   do times_s.push_back(repeat());
//   while (!enough_repetitions(times_s, spent_s, options));
#pragma once

#include <vector>

#include "ridgewatt/measure/microbench.h"

namespace ridgewatt::measure {

// How much the fastest repetitions of both halves differ, relative to the faster one. Of two at
// least.
double spread_of(const std::vector<double>& times_s);

// After `seconds_per_point`, or once the point is steady where the options allow that.
bool enough_repetitions(const std::vector<double>& times_s, double spent_s,
                        const MicrobenchOptions& options);

}  // namespace ridgewatt::measure
