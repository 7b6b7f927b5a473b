// Computes two quantiles of many values in one pass: the ends of an interval.
//
//   const auto [lo, hi] = two_quantiles(values, 0.05, 0.95);
#pragma once

#include <span>
#include <utility>

namespace ridgewatt {

// Equal to quantile() of base/statistics.h, for 0 <= lo <= hi <= 1. `values` must not be empty.
std::pair<double, double> two_quantiles(std::span<const double> values, double lo, double hi);

}  // namespace ridgewatt
