// Determines whether an estimate has an interval.
#pragma once

#include <cmath>

#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::predict {

// False if there were too few samples: `lo` is then 0 and `hi` infinite.
inline bool has_interval(const Estimate& value) {
  return std::isfinite(value.hi);
}

}  // namespace ridgewatt::predict
