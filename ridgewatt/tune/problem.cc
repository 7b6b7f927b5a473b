#include "ridgewatt/tune/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::tune {
namespace {

double samples(int batch) {
  return std::max(batch, 1);
}

void require_positive(double value, const char* what) {
  if (!(value > 0)) throw UsageError(fmt::format("{} must be positive, but is {}", what, value));
}

// The unit of a limit in messages.
struct LimitUnit {
  const char* unit;
  double scale;  // factor from SI to the unit
};

LimitUnit unit_of(LimitKind kind) {
  switch (kind) {
    case LimitKind::kPower:
      return {"W", 1};
    case LimitKind::kEnergy:
      return {"J", 1};
    case LimitKind::kTime:
    case LimitKind::kLatency:
    case LimitKind::kRate:
    case LimitKind::kSlowdown:
      break;
  }
  return {"ms", 1e3};
}

// Calls `take` for every limit that can be checked. A template, since a search checks millions of
// points.
template <class Take>
void for_each_limit(const Goal& goal, const Observation& seen, Take take) {
  const double n = samples(seen.point.batch);
  const Limits& limits = goal.limits;
  const auto add = [&](LimitKind kind, double value, double bound) {
    if (bound < Limits::kNone) take(LimitStand{kind, value, bound});
  };
  add(LimitKind::kPower, seen.power_w, limits.power_w);
  add(LimitKind::kTime, seen.time_s, limits.time_s);
  add(LimitKind::kEnergy, seen.energy_j(), limits.energy_j);
  add(LimitKind::kLatency, serving_latency_s(goal, seen.point.batch, seen.time_s),
      limits.latency_s);
  if (goal.rate_hz > 0) add(LimitKind::kRate, seen.time_s, n / goal.rate_hz);
  if (goal.needs_reference() && goal.reference_time_s > 0) {
    add(LimitKind::kSlowdown, seen.time_s / n, goal.reference_time_s * (1 + limits.slowdown));
  }
}

}  // namespace

Objective parse_objective(std::string_view name) {
  const NameSet set{
      names<Objective>(),
      {{"duration", "time"}, {"energy-delay-product", "edp"}, {"energy-delay", "edp"}}};
  return *find_name<Objective>(require_name("objective", name, set));
}

void Goal::check() const {
  require_positive(limits.power_w, "the power limit");
  require_positive(limits.time_s, "the time limit");
  require_positive(limits.energy_j, "the energy limit");
  require_positive(limits.latency_s, "the latency limit");
  if (!(limits.slowdown >= 0)) {
    throw UsageError(
        fmt::format("the slowdown limit must be 0 or more, but is {}", limits.slowdown));
  }
  if (!(rate_hz >= 0) || !std::isfinite(rate_hz)) {
    throw UsageError(fmt::format("the request rate must be positive, but is {}", rate_hz));
  }
  if (objective == Objective::kCost &&
      !(energy_weight >= 0 && time_weight >= 0 && energy_weight + time_weight > 0)) {
    throw UsageError("--energy-weight and --time-weight must be 0 or more, and not both 0");
  }
}

bool needs_power(const Goal& goal) {
  if (goal.limits.power_w < Limits::kNone || goal.limits.energy_j < Limits::kNone) return true;
  if (goal.objective == Objective::kCost) return goal.energy_weight > 0;
  return goal.objective == Objective::kPower || needs_energy(goal);
}

bool needs_energy(const Goal& goal) {
  return goal.objective == Objective::kEnergy || goal.objective == Objective::kEdp ||
         goal.objective == Objective::kCost;
}

double serving_latency_s(const Goal& goal, int batch, double time_s) {
  const double wait_s = goal.rate_hz > 0 ? (samples(batch) - 1) / goal.rate_hz : 0;
  return wait_s + time_s;
}

double idle_energy_j(const Goal& goal, const OperatingPoint& point, double time_s, double power_w) {
  if (!goal.counts_idle()) return 0;
  const double idle_s = std::max(samples(point.batch) / goal.rate_hz - time_s, 0.0);
  return std::min(goal.idle_power_w(point.mode), power_w) * idle_s;
}

double objective_value(const Goal& goal, const OperatingPoint& point, double time_s, double power_w,
                       double energy_j) {
  const double n = samples(point.batch);
  if (needs_energy(goal)) energy_j += idle_energy_j(goal, point, time_s, power_w);
  switch (goal.objective) {
    case Objective::kTime:
    case Objective::kThroughput:
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
      return serving_latency_s(goal, point.batch, time_s);
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

std::vector<LimitStand> limits_at(const Goal& goal, const Observation& seen) {
  std::vector<LimitStand> stands;
  for_each_limit(goal, seen, [&](const LimitStand& stand) { stands.push_back(stand); });
  return stands;
}

Verdict judge(const Goal& goal, const Observation& seen) {
  Verdict verdict{Feasibility::kFeasible, -1, {}};
  for_each_limit(goal, seen, [&](const LimitStand& stand) {
    if (stand.excess() > verdict.excess) {
      verdict.excess = stand.excess(), verdict.limit = stand.kind;
    }
  });
  if (verdict.excess > 0) {
    verdict.feasibility = Feasibility::kInfeasible;
  } else if (goal.needs_reference() && goal.reference_time_s <= 0) {
    verdict.feasibility = Feasibility::kUnknown;
  }
  return verdict;
}

std::string explain_miss(const Goal& goal, const Observation& seen) {
  auto stands = limits_at(goal, seen);
  std::erase_if(stands, [](const LimitStand& stand) { return stand.excess() <= 0; });
  sort_stably(stands,
              [](const LimitStand& a, const LimitStand& b) { return a.excess() > b.excess(); });
  std::string text;
  for (const auto& [kind, value, bound] : stands) {
    const LimitUnit unit = unit_of(kind);
    text += fmt::format("{}{} {:.4g} {} is {:.1f} % over the limit of {:.4g} {}",
                        text.empty() ? "" : "; ", name_of(kind), value * unit.scale, unit.unit,
                        100 * (value / bound - 1), bound * unit.scale, unit.unit);
  }
  return text.empty() ? "no limit is broken" : text;
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

}  // namespace ridgewatt::tune
