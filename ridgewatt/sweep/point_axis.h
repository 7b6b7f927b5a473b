// The axes of an operating point: the four knobs of its mode, then the batch.
//
//   for (const PointAxis axis : kPointAxes) row[axis] = axis_value(point, axis);
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/sweep/observation.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class PointAxis { kCpuCores, kCpuClock, kGpuClock, kMemClock, kBatch };
inline constexpr std::array<PointAxis, 5> kPointAxes = {PointAxis::kCpuCores, PointAxis::kCpuClock,
                                                        PointAxis::kGpuClock, PointAxis::kMemClock,
                                                        PointAxis::kBatch};
static_assert(kPointAxes.size() == kKnobs.size() + 1);
// One entry per axis.
template <class T>
using AxisArray = EnumArray<PointAxis, T, kPointAxes.size()>;

// Returns the knob of an axis; empty for the batch.
constexpr std::optional<Knob> knob_of(PointAxis axis) {
  if (axis == PointAxis::kBatch) return std::nullopt;
  return static_cast<Knob>(axis);
}
static_assert(knob_of(PointAxis::kMemClock) == Knob::kMemClock);

// Value of a point on an axis, in cores, Hz or samples; 0 if absent.
inline double axis_value(const OperatingPoint& point, PointAxis axis) {
  const auto knob = knob_of(axis);
  return knob ? point.mode.get(*knob) : point.batch;
}
// Name of the field in CSV and JSON: "gpu_mhz", "batch".
inline std::string_view axis_field(PointAxis axis) {
  const auto knob = knob_of(axis);
  return knob ? knob_field(*knob) : "batch";
}

}  // namespace ridgewatt

#pragma GCC visibility pop
