// Tells whether an estimate has an interval.
#pragma once

#include <cmath>

#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::predict {

// With too few samples for an interval, `lo` is 0 and `hi` infinite.
inline bool has_interval(const Estimate& value) {
  return std::isfinite(value.hi);
}

}  // namespace ridgewatt::predict
