// Handles knobs that have the same value in all samples. The effect of such a knob is unknown, so
// an interval at another value must allow for every physically possible effect.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {

// The common value of all samples on each axis; 0 if it varies or is absent.
AxisArray<double> fixed_values(std::span<const Observation> samples);
// The axes on which a point differs from its value in `fixed`.
std::vector<PointAxis> unvaried_at(const AxisArray<double>& fixed, const OperatingPoint& point);
// The axes on which at least one of `points` differs from the common value of all samples.
std::vector<PointAxis> unvaried_axes(std::span<const Observation> samples,
                                     std::span<const OperatingPoint> points);

// Factors by which unvaried knobs may lower and raise time and power. Speed grows at most in
// proportion to a clock or number of cores; the time of a minibatch grows at most in proportion to
// its samples; power grows at most in proportion to each knob.
struct UnvariedEffect {
  double time_lo = 1, time_hi = 1, power_lo = 1, power_hi = 1;
};
UnvariedEffect unvaried_effect(const AxisArray<double>& fixed, const OperatingPoint& point);

}  // namespace ridgewatt::predict
