#include "ridgewatt/predict/unvaried.h"

#include <algorithm>

namespace ridgewatt::predict {

AxisArray<double> fixed_values(std::span<const Observation> samples) {
  AxisArray<double> fixed{};
  for (const PointAxis axis : kPointAxes) {
    if (samples.empty()) continue;
    const double first = axis_value(samples.front().point, axis);
    const bool same = std::ranges::all_of(
        samples, [&](const Observation& one) { return axis_value(one.point, axis) == first; });
    fixed[axis] = same ? first : 0;
  }
  return fixed;
}

std::vector<PointAxis> unvaried_at(const AxisArray<double>& fixed, const OperatingPoint& point) {
  std::vector<PointAxis> result;
  for (const PointAxis axis : kPointAxes) {
    const double value = axis_value(point, axis);
    if (fixed[axis] > 0 && value > 0 && value != fixed[axis]) result.push_back(axis);
  }
  return result;
}

std::vector<PointAxis> unvaried_axes(std::span<const Observation> samples,
                                     std::span<const OperatingPoint> points) {
  const AxisArray<double> fixed = fixed_values(samples);
  AxisArray<bool> differs{};
  for (const auto& point : points) {
    for (const PointAxis axis : unvaried_at(fixed, point)) differs[axis] = true;
  }
  std::vector<PointAxis> result;
  std::ranges::copy_if(kPointAxes, std::back_inserter(result),
                       [&](PointAxis axis) { return differs[axis]; });
  return result;
}

UnvariedEffect unvaried_effect(const AxisArray<double>& fixed, const OperatingPoint& point) {
  UnvariedEffect effect;
  for (const PointAxis axis : unvaried_at(fixed, point)) {
    const double ratio = axis_value(point, axis) / fixed[axis];
    const double up = std::max(ratio, 1.0), down = std::min(ratio, 1.0);
    // More samples take longer, a higher clock takes less time.
    const bool batch = axis == PointAxis::kBatch;
    effect.time_lo *= batch ? down : 1 / up;
    effect.time_hi *= batch ? up : 1 / down;
    effect.power_lo *= down;
    effect.power_hi *= up;
  }
  return effect;
}

}  // namespace ridgewatt::predict
