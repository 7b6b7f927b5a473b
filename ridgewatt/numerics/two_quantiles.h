// Computes two quantiles of many values in one pass: the ends of an interval.
//
//   const auto [lo, hi] = two_quantiles(values, 0.05, 0.95);
#pragma once

#include <span>
#include <utility>

namespace ridgewatt {

// Same results as quantile() of base/statistics.h. Requires 0 <= lo <= hi <= 1 and at least one
// value.
std::pair<double, double> two_quantiles(std::span<const double> values, double lo, double hi);

}  // namespace ridgewatt
