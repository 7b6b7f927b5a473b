#include "ridgewatt/predict/predictor.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridgewatt {

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
  struct Sum {
    double time_s = 0, power_w = 0, energy_j = 0;
    int count = 0;
    bool energy = true;  // all have one that was measured
  };
  std::map<OperatingPoint, Sum> sums;
  for (const auto& one : measured) {
    Sum& sum = sums[one.point];
    sum.time_s += one.time_s, sum.power_w += one.power_w, ++sum.count;
    sum.energy_j += one.energy_j(), sum.energy = sum.energy && one.measured_energy_j;
  }
  std::vector<Observation> means;
  for (const auto& [point, sum] : sums) {
    means.push_back({point, sum.time_s / sum.count, sum.power_w / sum.count});
    if (sum.energy) means.back().measured_energy_j = sum.energy_j / sum.count;
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
