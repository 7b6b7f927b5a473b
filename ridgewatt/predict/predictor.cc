#include "ridgewatt/predict/predictor.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridgewatt::predict {

Prediction exactly(const Observation& measured) {
  const auto certain = [](double value) { return Estimate{value, value, value}; };
  return {certain(measured.time_s), certain(measured.power_w), certain(measured.energy_j())};
}

double energy_ratio(std::span<const Observation> measured) {
  double sum = 0;
  int count = 0;
  for (const auto& one : measured) {
    if (!one.measured_energy_j) continue;
    sum += std::log(*one.measured_energy_j / (one.time_s * one.power_w)), ++count;
  }
  return count > 0 ? std::exp(sum / count) : 1;
}

std::vector<Observation> mean_by_point(std::span<const Observation> measured) {
  std::map<OperatingPoint, RepeatMean> of_point;
  for (const auto& one : measured) of_point[one.point].add(one);
  std::vector<Observation> means;
  means.reserve(of_point.size());
  for (const auto& [point, mean] : of_point) means.push_back(mean.mean());
  return means;
}

const Observation* find_point(std::span<const Observation> means, const OperatingPoint& point) {
  const auto at = std::ranges::lower_bound(means, point, {}, &Observation::point);
  return at != means.end() && at->point == point ? &*at : nullptr;
}

void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions) {
  const auto means = mean_by_point(measured);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Observation* at = find_point(means, points[i]);
    if (at != nullptr) predictions[i] = exactly(*at);
  }
}

}  // namespace ridgewatt::predict
