#include "ridgewatt/measure/energy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt::measure {
namespace {

struct Point {
  double time_s;
  double power_w;
};

// Power at `time_s`, interpolated between two points.
double between(const Point& a, const Point& b, double time_s) {
  return a.power_w + (b.power_w - a.power_w) * (time_s - a.time_s) / (b.time_s - a.time_s);
}

std::vector<Point> valid_points(std::span<const double> times_s, std::span<const double> powers_w) {
  if (times_s.size() != powers_w.size())
    throw UsageError("the numbers of sample times and of powers differ");
  std::vector<Point> points;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    if (i > 0 && !(times_s[i] > times_s[i - 1]))
      throw UsageError("the times of the power samples are not in ascending order");
    if (std::isfinite(powers_w[i])) points.push_back({times_s[i], powers_w[i]});
  }
  return points;
}

}  // namespace

EnergyEstimate integrate_power(std::span<const double> times_s, std::span<const double> powers_w,
                               double begin_s, double end_s) {
  if (!(end_s > begin_s)) throw UsageError("the time window of the energy is empty");
  const auto points = valid_points(times_s, powers_w);
  if (points.empty())
    throw NotSupportedError("the power sensor gave no valid sample", "",
                            "check with `ridgewatt sensors` that the board measures power");
  EnergyEstimate result;
  result.duration_s = end_s - begin_s;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const bool inside = times_s[i] >= begin_s && times_s[i] <= end_s;
    if (!inside) continue;
    // The two ends of a step are one sample.
    const bool step = i > 0 && times_s[i] - times_s[i - 1] < kStepS;
    if (!step) ++(std::isfinite(powers_w[i]) ? result.samples : result.missing);
    if (std::isfinite(powers_w[i])) result.peak_w = std::max(result.peak_w, powers_w[i]);
  }
  double low = points[0].power_w;
  double high = low;
  for (const auto& point : points) {
    low = std::min(low, point.power_w);
    high = std::max(high, point.power_w);
  }
  // Before the first and after the last sample, the power is assumed constant.
  const auto hold = [&](double from_s, double to_s, double power_w) {
    if (to_s <= from_s) return;
    result.energy_j += power_w * (to_s - from_s);
    result.error_j += (high - low) * (to_s - from_s);
    result.largest_gap_s = std::max(result.largest_gap_s, to_s - from_s);
  };
  hold(begin_s, std::min(points.front().time_s, end_s), points.front().power_w);
  hold(std::max(points.back().time_s, begin_s), end_s, points.back().power_w);
  const auto step = [&](std::size_t i) {
    return i + 1 < points.size() ? std::abs(points[i + 1].power_w - points[i].power_w) : 0.0;
  };
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double from_s = std::max(points[i].time_s, begin_s);
    const double to_s = std::min(points[i + 1].time_s, end_s);
    if (to_s <= from_s) continue;
    const double whole_s = points[i + 1].time_s - points[i].time_s;
    const double power_w =
        (between(points[i], points[i + 1], from_s) + between(points[i], points[i + 1], to_s)) / 2;
    result.energy_j += power_w * (to_s - from_s);
    // The error of an interval may lie entirely in the part that is used.
    const double neighbors = ((i > 0 ? step(i - 1) : step(i + 1)) + step(i + 1)) / 4;
    result.error_j += std::max(step(i), neighbors) * std::min(to_s - from_s, whole_s / 2);
    result.largest_gap_s = std::max(result.largest_gap_s, whole_s);
  }
  if (points.size() < 2) result.error_j = kUnknownBound;
  result.mean_w = result.energy_j / result.duration_s;
  if (result.samples == 0) result.peak_w = result.mean_w;
  result.mean_interval_s =
      result.duration_s / static_cast<double>(std::max<std::size_t>(1, result.samples));
  return result;
}

}  // namespace ridgewatt::measure
