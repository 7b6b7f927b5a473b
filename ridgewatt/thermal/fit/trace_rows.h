// Properties of a trace that are computed before the fit: the rows that the fit needs, the step of
// the recorded temperatures, idle power, and leakage.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/thermal/heat_trace.h"

namespace ridgewatt::thermal {

using HeatRows = std::vector<HeatTrace::Row>;

// At most about `most` rows: few where power is constant, all rows for half a minute after a jump.
HeatRows thinned_rows(const HeatTrace& trace, std::size_t most);
// The step of most recorded temperatures, 1 or 0.5 K; 0: no relevant step.
double rounding_step_k(const HeatRows& rows);
double mean_fan(const HeatRows& rows);  // weighted by time
// The lowest mean power of half a minute.
double least_mean_power_w(const HeatRows& rows);

// Power increase per kelvin, as a share of the power at 50 C.
struct Leakage {
  double per_k = 0;
  double sd = 0;  // 0: not observed, `per_k` is the usual value
};
// Power against temperature where only leakage can have changed it: in stretches without a jump or
// throttling. Each stretch has its own level; the slope is common.
Leakage fit_leakage(const HeatRows& rows);

}  // namespace ridgewatt::thermal
