#include "ridgewatt/tune/acquisition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/tune/answer.h"

namespace ridgewatt::tune {
namespace {

// Derivatives of ln(objective) with respect to ln(time) and ln(power).
struct Sensitivity {
  double time = 0;
  double power = 0;
};

Sensitivity sensitivity(const Goal& goal, const OperatingPoint& point, double time_s,
                        double power_w) {
  // Derivatives of ln(energy). A longer minibatch leaves less idle time.
  const auto energy_slope = [&](double more = 0) -> Sensitivity {
    const double busy_j = time_s * power_w;
    const double idle_j = idle_energy_j(goal, point, time_s, power_w);
    const double idle_s = idle_j > 0 ? std::max(point.batch, 1) / goal.rate_hz - time_s : 1;
    const double whole = busy_j + idle_j + more;
    return {(busy_j - idle_j / idle_s * time_s + more) / whole, busy_j / whole};
  };
  switch (goal.objective) {
    case Objective::kTime:
    case Objective::kThroughput:
      return {1, 0};
    case Objective::kEnergy:
      return energy_slope();
    case Objective::kPower:
      return {0, 1};
    case Objective::kEdp: {
      const Sensitivity energy = energy_slope();
      return {1 + energy.time, energy.power};
    }
    case Objective::kCost:
      if (!(goal.energy_weight > 0)) return {1, 0};
      return energy_slope(goal.time_weight / goal.energy_weight * time_s);
    case Objective::kLatency:
      return {time_s / serving_latency_s(goal, point.batch, time_s), 0};
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

double SearchBeliefs::near_best(const Outlook& outlook, const Observation& answer,
                                double share) const {
  constexpr std::size_t kRivals = 160, kDraws = 400;
  constexpr double kNegligible = 1e-5;  // probability of being better than the answer
  const SearchSpace& space = search_.space();
  const Goal& goal = search_.goal();
  const bool noisy = search_.options().noise > kNoisy;
  const std::size_t own = *space.find(answer.point);
  const double value =
      noisy ? outlook.objective_mean[own] : std::log(objective_value(goal, answer));
  std::vector<std::pair<double, std::size_t>> rivals;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (search_.allowed()[i] == 0 || i == own || (!noisy && search_.tried(i))) continue;
    const double ahead = value - std::log1p(share) - outlook.objective_mean[i];
    const double chance = outlook.feasible[i] * normal_below(ahead / outlook.objective_sd[i]);
    if (chance > kNegligible) rivals.emplace_back(-chance, i);
  }
  const std::size_t count = std::min(kRivals, rivals.size());
  std::partial_sort(rivals.begin(), rivals.begin() + static_cast<std::ptrdiff_t>(count),
                    rivals.end());
  std::vector<std::size_t> points = {own};
  for (std::size_t i = 0; i < count; ++i) points.push_back(rivals[i].second);
  const JointDraws drawn = surrogate_.draw(points, kDraws, search_.options().seed);
  std::size_t beaten = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const auto drawn_at = [&](std::size_t i) -> Observation {
      const std::size_t at = draw * points.size() + i;
      return {space[points[i]], std::exp(drawn.log_time[at]), std::exp(drawn.log_power[at])};
    };
    const auto feasible = [&](const Observation& one) {
      return judge(goal, one).feasibility == Feasibility::kFeasible;
    };
    const Observation truth = noisy ? drawn_at(0) : answer;
    const double bar = objective_value(goal, truth) / (1 + share);
    bool near = feasible(truth);
    for (std::size_t i = 1; near && i < points.size(); ++i) {
      const Observation rival = drawn_at(i);
      near = objective_value(goal, rival) >= bar || !feasible(rival);
    }
    beaten += near ? 0 : 1;
  }
  // Laplace's rule of succession: a share of draws is itself uncertain.
  return 1 - (static_cast<double>(beaten) + 1) / (kDraws + 2);
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
    const double time_s = std::exp(tm), power_w = std::exp(pm);
    const Sensitivity slope = sensitivity(goal, space[i], time_s, power_w);
    outlook.objective_mean[i] = std::log(objective_value(goal, space[i], time_s, power_w));
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
