// Knobs that never vary in the samples: nothing is learned of their effect, so an interval at
// another value has to hold every effect that physics allows.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/sweep/point_axis.h"

#pragma GCC visibility push(default)

namespace ridgewatt::predict {

// The value that all samples share; 0 where it varies, or where no sample has it.
AxisArray<double> fixed_values(std::span<const Observation> samples);
// The axes at which a point differs from that value.
std::vector<PointAxis> unvaried_at(const AxisArray<double>& fixed, const OperatingPoint& point);
// The axes at which one of the points does.
std::vector<PointAxis> unvaried_axes(std::span<const Observation> samples,
                                     std::span<const OperatingPoint> points);

// By how much the unvaried knobs may lower and raise time and power, as factors. A clock or a
// number of cores speeds up at most in proportion, a minibatch takes at most the time of its
// samples, and power rises at most in proportion to any of them (docs/methods/prediction.md has the
// measured exponents).
struct UnvariedEffect {
  double time_lo = 1, time_hi = 1, power_lo = 1, power_hi = 1;
};
UnvariedEffect unvaried_effect(const AxisArray<double>& fixed, const OperatingPoint& point);

}  // namespace ridgewatt::predict

#pragma GCC visibility pop
