#include "ridgewatt/tune/choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {

namespace {

// Standard deviation of the logarithm; 0 if the error has no finite maximum.
double scale_of(const twin::LogError& error) {
  return std::isfinite(error.most) ? error.sd : 0;
}

}  // namespace

predict::Estimate estimate_of(double mean, const twin::LogError& error, double interval) {
  return {error.middle(mean), error.lo(mean, interval), error.hi(mean, interval), error.degrees,
          scale_of(error)};
}

predict::Prediction prediction_of(const twin::MinibatchCost& cost, const twin::EstimateError& error,
                                  double interval) {
  const auto all = twin::bounded(cost, error, interval);
  const auto of = [&](std::size_t q) {
    return predict::Estimate{all[q].value, all[q].lo, all[q].hi, error[q].degrees,
                             scale_of(error[q])};
  };
  return {of(twin::kTime), of(twin::kPower), of(twin::kEnergy)};
}

namespace {

// Returns the share by which the worst limit is exceeded. The energy limit applies to `energy_j`:
// the product of the cautious time and power would be too cautious. `slowdown_s`: the time that a
// slowdown limit applies to.
double worst_excess(const Goal& goal, const Observation& cautious, double energy_j,
                    std::optional<double> slowdown_s) {
  Goal others = goal;
  others.limits.energy_j = Limits::kNone;
  if (slowdown_s) others.limits.slowdown = Limits::kNone;
  double excess = judge(others, cautious).excess;
  if (goal.limits.energy_j < Limits::kNone) {
    excess = std::max(excess, energy_j / goal.limits.energy_j - 1);
  }
  if (slowdown_s && goal.needs_reference()) {
    const double allowed_s =
        std::max(cautious.point.batch, 1) * goal.reference_time_s * (1 + goal.limits.slowdown);
    excess = std::max(excess, *slowdown_s / allowed_s - 1);
  }
  return excess;
}

}  // namespace

Choice choose(const Goal& goal, std::span<const OperatingPoint> points,
              std::span<const predict::Prediction> predictions, Caution caution, double tie,
              std::span<const double> slowdown_s) {
  if (points.size() != predictions.size()) {
    throw UsageError("the choice of an answer needs one prediction per point");
  }
  const auto held = [&](const predict::Estimate& value) {
    return caution == Caution::kMeans ? value.mean : value.hi;
  };
  Choice choice;
  double least = Limits::kNone, least_excess = Limits::kNone;
  std::vector<double> values(points.size(), Limits::kNone);  // of feasible points; others: kNone
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [time, power, energy] = predictions[i];
    const double excess =
        worst_excess(goal, {points[i], held(time), held(power)}, held(energy),
                     slowdown_s.empty() ? std::nullopt : std::optional(slowdown_s[i]));
    if (excess > 0) {
      if (excess < least_excess) least_excess = excess, choice.miss = i;
      continue;
    }
    values[i] = objective_value(goal, points[i], time.mean, power.mean, energy.mean);
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
