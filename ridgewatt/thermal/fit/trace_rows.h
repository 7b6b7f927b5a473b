// What the rows of a trace tell before anything is fitted: which of them a fit needs, the grid that
// temperatures lie on, power at rest, and leakage.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/thermal/heat_trace.h"

namespace ridgewatt::thermal {

using HeatRows = std::vector<HeatTrace::Row>;

// At most `most` rows or a few more: few where power is even, all of half a minute after it jumped.
HeatRows thinned_rows(const HeatTrace& trace, std::size_t most);
// The grid that most temperatures lie on, 1 or 0.5 K; 0: none that matters.
double rounding_step_k(const HeatRows& rows);
double mean_fan(const HeatRows& rows);  // weighted by time
// The least mean of half a minute.
double least_mean_power_w(const HeatRows& rows);

// More power per kelvin, as a share of that at 50 C.
struct Leakage {
  double per_k = 0;
  double sd = 0;  // 0: not seen, `per_k` is the usual one
};
// Power against temperature where only leakage can have changed it: within stretches without a jump
// or throttling. Each stretch has a level of its own, the slope is common.
Leakage fit_leakage(const HeatRows& rows);

}  // namespace ridgewatt::thermal
