#include "ridgewatt/predict/predictor.h"

#include <algorithm>
#include <map>

namespace ridgewatt {

Prediction exactly(const Observation& measured) {
  const auto certain = [](double value) { return Estimate{value, value, value}; };
  return {certain(measured.time_s), certain(measured.power_w), certain(measured.energy_j())};
}

std::vector<Observation> mean_by_point(std::span<const Observation> measured) {
  struct Sum {
    double time_s = 0, power_w = 0;
    int count = 0;
  };
  std::map<OperatingPoint, Sum> sums;
  for (const auto& one : measured) {
    Sum& sum = sums[one.point];
    sum.time_s += one.time_s, sum.power_w += one.power_w, ++sum.count;
  }
  std::vector<Observation> means;
  for (const auto& [point, sum] : sums) {
    means.push_back({point, sum.time_s / sum.count, sum.power_w / sum.count});
  }
  return means;
}

void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions) {
  const auto means = mean_by_point(measured);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto at = std::ranges::lower_bound(means, points[i], {}, &Observation::point);
    if (at != means.end() && at->point == points[i]) predictions[i] = exactly(*at);
  }
}

}  // namespace ridgewatt
