#include "ridgewatt/predict/predictor.h"

#include <map>

namespace ridgewatt {

Prediction exactly(const Observation& measured) {
  const auto certain = [](double value) { return Estimate{value, value, value}; };
  return {certain(measured.time_s), certain(measured.power_w), certain(measured.energy_j())};
}

void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions) {
  struct Sum {
    double time_s = 0, power_w = 0;
    int count = 0;
  };
  std::map<OperatingPoint, Sum> sums;
  for (const auto& one : measured) {
    Sum& sum = sums[one.point];
    sum.time_s += one.time_s, sum.power_w += one.power_w, ++sum.count;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto found = sums.find(points[i]);
    if (found == sums.end()) continue;
    const auto& [time_s, power_w, count] = found->second;
    predictions[i] = exactly({points[i], time_s / count, power_w / count});
  }
}

}  // namespace ridgewatt
