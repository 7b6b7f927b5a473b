#include "ridgewatt/tune/choice.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {

predict::Estimate estimate_of(double mean, const twin::LogError& error, double interval) {
  const double factor = error.factor(interval);
  return {mean, mean / factor, mean * factor, error.degrees};
}

Choice choose(const Goal& goal, std::span<const OperatingPoint> points,
              std::span<const predict::Prediction> predictions, Caution caution, double tie) {
  if (points.size() != predictions.size()) {
    throw UsageError("one prediction per point is needed to choose");
  }
  const auto held = [&](const predict::Estimate& value) {
    return caution == Caution::kMeans ? value.mean : value.hi;
  };
  // Energy has an end of its own: the product of those of time and power would be too cautious.
  Goal others = goal;
  others.limits.energy_j = Limits::kNone;
  Choice choice;
  double least = Limits::kNone, least_excess = Limits::kNone;
  std::vector<double> values(points.size(), Limits::kNone);  // of feasible points
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [time, power, energy] = predictions[i];
    const Observation cautious{points[i], held(time), held(power)};
    double excess = judge(others, cautious).excess;
    if (goal.limits.energy_j < Limits::kNone) {
      excess = std::max(excess, held(energy) / goal.limits.energy_j - 1);
    }
    if (excess > 0) {
      if (excess < least_excess) least_excess = excess, choice.miss = i;
      continue;
    }
    values[i] = objective_value(goal, points[i].batch, time.mean, power.mean, energy.mean);
    if (values[i] < least) least = values[i], choice.best = i;
  }
  if (!choice.best) return choice;
  choice.miss.reset();
  const auto time_per_sample = [&](std::size_t i) {
    return predictions[i].time_s.mean / std::max(points[i].batch, 1);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (values[i] < Limits::kNone && values[i] <= (1 + tie) * least &&
        time_per_sample(i) < time_per_sample(*choice.best)) {
      choice.best = i;
    }
  }
  return choice;
}

}  // namespace ridgewatt::tune
