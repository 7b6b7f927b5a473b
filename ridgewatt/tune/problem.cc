#include "ridgewatt/tune/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

constexpr std::array<std::pair<std::string_view, Objective>, 6> kNames = {{
    {"time", Objective::kTime},
    {"energy", Objective::kEnergy},
    {"power", Objective::kPower},
    {"edp", Objective::kEdp},
    {"cost", Objective::kCost},
    {"latency", Objective::kLatency},
}};

double samples(int batch) {
  return std::max(batch, 1);
}

void require_positive(double value, const char* what) {
  if (!(value > 0)) throw UsageError(fmt::format("{} must be positive, is {}", what, value));
}

// One limit as it applies to an observation.
struct Check {
  const char* name;
  const char* unit;
  double scale;  // SI to the unit
  double value;
  double bound;
};

std::array<Check, 6> checks(const Goal& goal, const Observation& seen) {
  const double n = samples(seen.point.batch);
  const double wait_s = serving_latency_s(goal, seen.point.batch, 0);
  const Limits& limits = goal.limits;
  return {{{"power", "W", 1, seen.power_w, limits.power_w},
           {"time", "ms", 1e3, seen.time_s, limits.time_s},
           {"energy", "J", 1, seen.energy_j(), limits.energy_j},
           {"latency", "ms", 1e3, wait_s + seen.time_s, limits.latency_s},
           {"time between batches", "ms", 1e3, seen.time_s,
            goal.rate_hz > 0 ? n / goal.rate_hz : Limits::kNone},
           {"time per sample", "ms", 1e3, seen.time_s / n,
            goal.needs_reference() && goal.reference_time_s > 0
                ? goal.reference_time_s * (1 + limits.slowdown)
                : Limits::kNone}}};
}

}  // namespace

std::string_view objective_name(Objective objective) {
  for (const auto& [name, value] : kNames) {
    if (value == objective) return name;
  }
  return "";
}

Objective parse_objective(std::string_view name) {
  if (name == "throughput") return Objective::kTime;
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  throw UsageError(fmt::format("unknown objective '{}'", name), "",
                   "choose time, energy, power, edp, cost, latency or throughput");
}

void Goal::check() const {
  require_positive(limits.power_w, "the power limit");
  require_positive(limits.time_s, "the time limit");
  require_positive(limits.energy_j, "the energy limit");
  require_positive(limits.latency_s, "the latency limit");
  if (!(limits.slowdown >= 0)) {
    throw UsageError(fmt::format("the slowdown limit must be 0 or more, is {}", limits.slowdown));
  }
  if (!(rate_hz >= 0) || !std::isfinite(rate_hz)) {
    throw UsageError(fmt::format("the request rate must be positive, is {}", rate_hz));
  }
  if (objective == Objective::kCost &&
      !(energy_weight >= 0 && time_weight >= 0 && energy_weight + time_weight > 0)) {
    throw UsageError("the weights of energy and time must be 0 or more and not both 0");
  }
}

double serving_latency_s(const Goal& goal, int batch, double time_s) {
  const double wait_s = goal.rate_hz > 0 ? (samples(batch) - 1) / goal.rate_hz : 0;
  return wait_s + time_s;
}

double objective_value(const Goal& goal, int batch, double time_s, double power_w) {
  const double n = samples(batch);
  const double energy_j = time_s * power_w;
  switch (goal.objective) {
    case Objective::kTime:
      return time_s / n;
    case Objective::kEnergy:
      return energy_j / n;
    case Objective::kPower:
      return power_w;
    case Objective::kEdp:
      return energy_j / n * time_s / n;
    case Objective::kCost:
      return (goal.energy_weight * energy_j + goal.time_weight * time_s) / n;
    case Objective::kLatency:
      return serving_latency_s(goal, batch, time_s);
  }
  return time_s;
}

Bounds bounds_at(const Goal& goal, int batch) {
  const double n = samples(batch);
  Bounds bounds{goal.limits.time_s, goal.limits.power_w, goal.limits.energy_j};
  bounds.time_s =
      std::min(bounds.time_s, goal.limits.latency_s - serving_latency_s(goal, batch, 0));
  if (goal.rate_hz > 0) bounds.time_s = std::min(bounds.time_s, n / goal.rate_hz);
  if (goal.needs_reference() && goal.reference_time_s > 0) {
    bounds.time_s = std::min(bounds.time_s, n * goal.reference_time_s * (1 + goal.limits.slowdown));
  }
  return bounds;
}

Verdict judge(const Goal& goal, const Observation& seen) {
  Verdict verdict{Feasibility::kFeasible, -1, ""};
  for (const auto& check : checks(goal, seen)) {
    if (check.bound == Limits::kNone) continue;
    const double excess = check.value / check.bound - 1;
    if (excess > verdict.excess) verdict.excess = excess, verdict.limit = check.name;
  }
  if (verdict.excess > 0) {
    verdict.feasibility = Feasibility::kInfeasible;
  } else if (goal.needs_reference() && goal.reference_time_s <= 0) {
    verdict.feasibility = Feasibility::kUnknown;
  }
  return verdict;
}

std::string explain_miss(const Goal& goal, const Observation& seen) {
  const Verdict verdict = judge(goal, seen);
  for (const auto& check : checks(goal, seen)) {
    if (verdict.limit != check.name) continue;
    return fmt::format("{} {:.4g} {} is {:.1f} % over the limit of {:.4g} {}", check.name,
                       check.value * check.scale, check.unit, 100 * verdict.excess,
                       check.bound * check.scale, check.unit);
  }
  return "no limit is broken";
}

std::optional<std::size_t> best_feasible(const Goal& goal, const std::vector<Observation>& seen) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (judge(goal, seen[i]).feasibility != Feasibility::kFeasible) continue;
    if (!best || objective_value(goal, seen[i]) < objective_value(goal, seen[*best])) best = i;
  }
  return best;
}

std::optional<std::size_t> nearest_miss(const Goal& goal, const std::vector<Observation>& seen) {
  std::optional<std::size_t> nearest;
  double least = Limits::kNone;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Verdict verdict = judge(goal, seen[i]);
    if (verdict.feasibility == Feasibility::kInfeasible && verdict.excess < least) {
      least = verdict.excess, nearest = i;
    }
  }
  return nearest;
}

}  // namespace ridgewatt
