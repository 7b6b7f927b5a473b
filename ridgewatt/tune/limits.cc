#include "ridgewatt/tune/limits.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::tune {
namespace {

constexpr int kLargestBatch = 128;

double samples_at(const OperatingPoint& point) {
  return std::max(point.batch, 1);
}

// Probability that an estimated value stays within `bound`. Empty for a measured value.
std::optional<double> kept_within(const predict::Estimate& value, double bound) {
  if (!(value.hi > value.mean || value.log_sd > 0) || !(value.mean > 0)) return std::nullopt;
  if (!(bound > 0)) return 0;
  constexpr double kUpper = 0.5 + predict::kDefaultInterval / 2;
  const bool student = value.degrees > 0;
  const double quantile =
      student ? student_quantile(kUpper, value.degrees) : normal_quantile(kUpper);
  const double log_sd =
      value.log_sd > 0 ? value.log_sd : std::log(value.hi / value.mean) / quantile;
  // No value lies above an upper end that was cut at a maximum.
  const bool cut = std::log(value.hi / value.mean) < quantile * log_sd * (1 - 1e-9);
  if (cut && bound >= value.hi) return 1;
  // The upper end lies further from the mean if it includes what may be added to the value.
  const double z =
      cut ? std::log(bound / value.mean) / log_sd : quantile + std::log(bound / value.hi) / log_sd;
  return student ? student_cdf(z, value.degrees) : normal_cdf(z);
}

// Rounds to four digits, up or down. The result is never on the other side of `value`, not even by
// the last bit: a limit of 8.6 W does not allow 8.600000000000007 W.
double rounded(double value, bool up) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  const double digits = up ? std::ceil(value / unit - 1e-9) : std::floor(value / unit + 1e-9);
  if (up) return digits * unit < value ? (digits + 1) * unit : digits * unit;
  return digits * unit > value ? (digits - 1) * unit : digits * unit;
}

struct Held {
  double time_s = 0, power_w = 0, energy_j = 0;
};

// Whether the goal's limits hold. The energy limit applies to `held.energy_j`, as in choose().
// Power and energy are not numbers on a processor, where they are unknown and have no limit.
bool keeps(const Goal& goal, const OperatingPoint& point, const Held& held) {
  Goal others = goal;
  others.limits.energy_j = Limits::kNone;
  return judge(others, {point, held.time_s, held.power_w}).excess <= 0 &&
         !(held.energy_j > goal.limits.energy_j);
}

// The value of one limit that the point needs, rounded. Empty if the goal has no such limit or the
// point meets it.
std::optional<double> needed(const Goal& goal, LimitKind kind, const OperatingPoint& point,
                             const Held& held) {
  const Limits& limits = goal.limits;
  const double n = samples_at(point);
  const auto over = [](double value, double limit) -> std::optional<double> {
    if (!(limit < Limits::kNone) || value <= limit) return std::nullopt;
    return rounded(value, true);
  };
  switch (kind) {
    case LimitKind::kPower:
      return over(held.power_w, limits.power_w);
    case LimitKind::kTime:
      return over(held.time_s, limits.time_s);
    case LimitKind::kEnergy:
      return over(held.energy_j, limits.energy_j);
    case LimitKind::kLatency:
      return over(serving_latency_s(goal, point.batch, held.time_s), limits.latency_s);
    case LimitKind::kRate:
      if (!(goal.rate_hz > 0) || n / held.time_s >= goal.rate_hz) return std::nullopt;
      return rounded(n / held.time_s, false);
    case LimitKind::kSlowdown:
      if (!(goal.reference_time_s > 0)) return std::nullopt;
      return over(held.time_s / n / goal.reference_time_s - 1, limits.slowdown);
  }
  return std::nullopt;
}

Goal with_limit(Goal goal, LimitKind kind, double value) {
  switch (kind) {
    case LimitKind::kPower:
      goal.limits.power_w = value;
      break;
    case LimitKind::kTime:
      goal.limits.time_s = value;
      break;
    case LimitKind::kEnergy:
      goal.limits.energy_j = value;
      break;
    case LimitKind::kLatency:
      goal.limits.latency_s = value;
      break;
    case LimitKind::kRate:
      goal.rate_hz = value;
      break;
    case LimitKind::kSlowdown:
      goal.limits.slowdown = value;
      break;
  }
  return goal;
}

}  // namespace

std::vector<LimitConfidence> limit_confidence(
    const Goal& goal, const OperatingPoint& point, const predict::Prediction& cost,
    const std::optional<predict::Estimate>& time_over_reference) {
  std::vector<LimitConfidence> result;
  const double wait_s = serving_latency_s(goal, point.batch, 0);
  const Observation mean{point, cost.time_s.mean, cost.power_w.mean, cost.energy_j.mean};
  for (const auto& stand : limits_at(goal, mean)) {
    std::optional<double> probability;
    if (stand.kind == LimitKind::kPower) {
      probability = kept_within(cost.power_w, stand.bound);
    } else if (stand.kind == LimitKind::kEnergy) {
      probability = kept_within(cost.energy_j, stand.bound);
    } else if (stand.kind == LimitKind::kSlowdown) {
      const double bound_s = stand.bound * samples_at(point);
      probability = kept_within(time_over_reference.value_or(cost.time_s), bound_s);
      // The time of the reference relative to itself has no uncertainty.
      if (!probability && time_over_reference) probability = stand.excess() <= 0 ? 1 : 0;
    } else {
      // The part of the bound that is available to the minibatch.
      const double bound_s = stand.bound - (stand.kind == LimitKind::kLatency ? wait_s : 0);
      probability = kept_within(cost.time_s, bound_s);
    }
    if (probability) result.push_back({stand.kind, *probability});
  }
  return result;
}

void keep_least(std::vector<LimitConfidence>& least, const std::vector<LimitConfidence>& others) {
  for (const LimitConfidence& one : others) {
    const auto same =
        std::ranges::find_if(least, [&](const auto& other) { return other.kind == one.kind; });
    if (same == least.end()) {
      least.push_back(one);
    } else {
      same->probability = std::min(same->probability, one.probability);
    }
  }
}

std::optional<double> least_confidence(const std::vector<LimitConfidence>& limits) {
  std::optional<double> least;
  for (const auto& limit : limits) least = std::min(least.value_or(1), limit.probability);
  return least;
}

std::vector<Relaxation> relaxations(const Goal& goal, std::span<const OperatingPoint> points,
                                    std::span<const predict::Prediction> predictions,
                                    Caution caution) {
  if (points.size() != predictions.size()) {
    throw UsageError("relaxing a limit needs one prediction per point");
  }
  const auto held = [&](const predict::Estimate& value) {
    return caution == Caution::kMeans ? value.mean : value.hi;
  };
  std::vector<Relaxation> result;
  for (const LimitKind kind : {LimitKind::kPower, LimitKind::kTime, LimitKind::kEnergy,
                               LimitKind::kLatency, LimitKind::kRate, LimitKind::kSlowdown}) {
    std::optional<Relaxation> best;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [time, power, energy] = predictions[i];
      const Held cost{held(time), held(power), held(energy)};
      const auto value = needed(goal, kind, points[i], cost);
      if (!value || !(*value > 0)) continue;
      const bool nearer =
          !best || (kind == LimitKind::kRate ? *value > best->value : *value < best->value);
      if (nearer && keeps(with_limit(goal, kind, *value), points[i], cost)) {
        best = Relaxation{kind, *value, i};
      }
    }
    if (best) result.push_back(*best);
  }
  return result;
}

std::vector<int> batches_to_try(const Goal& goal, WorkloadKind kind,
                                const std::function<bool(int)>& fits_memory) {
  if (kind == WorkloadKind::kTraining) return {16};
  const bool no_batch_helps = goal.rate_hz <= 0 && (goal.objective == Objective::kTime ||
                                                    goal.objective == Objective::kLatency ||
                                                    goal.objective == Objective::kPower);
  if (no_batch_helps) return {1};
  std::vector<int> batches = {1};
  for (int batch = 2; batch <= kLargestBatch; batch *= 2) {
    if (serving_latency_s(goal, batch, 0) >= goal.limits.latency_s || !fits_memory(batch)) break;
    batches.push_back(batch);
  }
  return batches;
}

}  // namespace ridgewatt::tune
