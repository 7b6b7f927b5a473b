// Two quantiles of many values at once: the ends of an interval.
//
//   const auto [lo, hi] = two_quantiles(values, 0.05, 0.95);
#pragma once

#include <span>
#include <utility>

namespace ridgewatt {

// As quantile() of base/statistics.h, for 0 <= lo <= hi <= 1. There is at least
// one value.
std::pair<double, double> two_quantiles(std::span<const double> values, double lo, double hi);

}  // namespace ridgewatt
