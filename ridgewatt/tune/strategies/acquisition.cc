#include "ridgewatt/tune/acquisition.h"

#include <cmath>

namespace ridgewatt::tune {
namespace {

// Derivatives of log objective by log time and log power.
struct Sensitivity {
  double time = 0;
  double power = 0;
};

Sensitivity sensitivity(const Goal& goal, int batch, double time_s, double power_w) {
  switch (goal.objective) {
    case Objective::kTime:
      return {1, 0};
    case Objective::kEnergy:
      return {1, 1};
    case Objective::kPower:
      return {0, 1};
    case Objective::kEdp:
      return {2, 1};
    case Objective::kCost: {
      const double energy = goal.energy_weight * time_s * power_w;
      return {1, energy / (energy + goal.time_weight * time_s)};
    }
    case Objective::kLatency:
      return {time_s / serving_latency_s(goal, batch, time_s), 0};
  }
  return {1, 0};
}

}  // namespace

const Beliefs& SearchBeliefs::update() {
  for (; learned_ < search_.seen().size(); ++learned_) {
    const Observation& seen = search_.seen()[learned_];
    surrogate_.observe(search_.points_seen()[learned_], seen.time_s, seen.power_w);
  }
  surrogate_.predict(beliefs_, search_.in_flight());
  return beliefs_;
}

double normal_below(double z) {
  if (z > 6) return 1;
  if (z < -6) return 0;
  return 0.5 * std::erfc(-z * 0.7071067811865476);
}

void judge_beliefs(const SearchSpace& space, const Goal& goal, const Beliefs& beliefs,
                   Outlook& outlook) {
  const std::size_t count = space.size();
  outlook.objective_mean.resize(count);
  outlook.objective_sd.resize(count);
  outlook.feasible.resize(count);
  std::vector<Bounds> bounds;
  for (const int batch : space.batches()) bounds.push_back(bounds_at(goal, batch));
  if (bounds.empty()) bounds.push_back(bounds_at(goal, 0));
  for (auto& bound : bounds) {
    bound = {bound.time_s > 0 ? std::log(bound.time_s) : -Limits::kNone, std::log(bound.power_w),
             std::log(bound.energy_j)};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double tm = beliefs.time_mean[i], ts = beliefs.time_sd[i];
    const double pm = beliefs.power_mean[i], ps = beliefs.power_sd[i];
    const int batch = space[i].batch;
    const double time_s = std::exp(tm), power_w = std::exp(pm);
    const Sensitivity slope = sensitivity(goal, batch, time_s, power_w);
    outlook.objective_mean[i] = std::log(objective_value(goal, batch, time_s, power_w));
    outlook.objective_sd[i] =
        std::sqrt(slope.time * slope.time * ts * ts + slope.power * slope.power * ps * ps);
    const auto& bound =
        bounds[static_cast<std::size_t>(space.position(i)[SearchSpace::kBatchAxis])];
    double feasible = 1;
    if (bound.time_s < Limits::kNone) feasible *= normal_below((bound.time_s - tm) / ts);
    if (bound.power_w < Limits::kNone) feasible *= normal_below((bound.power_w - pm) / ps);
    if (bound.energy_j < Limits::kNone) {
      feasible *= normal_below((bound.energy_j - tm - pm) / std::hypot(ts, ps));
    }
    outlook.feasible[i] = feasible;
  }
}

}  // namespace ridgewatt::tune
