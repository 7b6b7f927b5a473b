// Properties of a trace that are computed before the fit: the rows that the fit needs, the rounding
// step of the recorded temperatures, idle power, and leakage.
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/thermal/heat_trace.h"

namespace ridgewatt::thermal {

using HeatRows = std::vector<HeatTrace::Row>;

// Combines rows so that at most about `most` remain: few where power is constant, all rows for half
// a minute after a jump.
HeatRows thinned_rows(const HeatTrace& trace, std::size_t most);
// The rounding step of the recorded temperatures in K: 1 or 0.5 if more than 95 % of them are
// multiples of this step, otherwise 0.
double rounding_step_k(const HeatRows& rows);
double mean_fan(const HeatRows& rows);  // weighted by time
// Lowest mean power over half a minute.
double least_mean_power_w(const HeatRows& rows);

// Increase of the power per kelvin, as a share of the power at 50 C.
struct Leakage {
  double per_k = 0;
  double sd = 0;  // Standard deviation. 0: not observed; `per_k` is the usual value.
};
// Fits power to temperature in sections without a jump or throttling, where only leakage can change
// the power. Each section has its own level, and all have the same slope.
Leakage fit_leakage(const HeatRows& rows);

}  // namespace ridgewatt::thermal
