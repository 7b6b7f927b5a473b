// The goal of a user for a workload on a board: one objective and limits. Objectives are per
// sample, so that batches can be compared. Limits are per minibatch.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/observation.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

enum class Objective {
  kTime,        // seconds per sample
  kEnergy,      // joules per sample
  kPower,       // watts
  kEdp,         // energy-delay product per sample: joules x seconds
  kCost,        // weighted sum of energy and time per sample
  kLatency,     // worst latency of a request: collection of the batch, plus the minibatch
  kThroughput,  // seconds per sample, like kTime, but larger batches are tried
};
constexpr auto enum_names(Objective) {
  return named<Objective>({{Objective::kTime, "time"},
                           {Objective::kEnergy, "energy"},
                           {Objective::kPower, "power"},
                           {Objective::kEdp, "edp"},
                           {Objective::kCost, "cost"},
                           {Objective::kLatency, "latency"},
                           {Objective::kThroughput, "throughput"}});
}
// Throws UsageError that lists all names. Also accepts synonyms, such as "duration" for time.
Objective parse_objective(std::string_view name);

// Upper limits. Infinite: no limit.
struct Limits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double power_w = kNone;
  double time_s = kNone;     // of a minibatch
  double energy_j = kNone;   // of a minibatch
  double latency_s = kNone;  // worst latency of a request
  // Largest slowdown relative to MAXN as a fraction (0.05: 5 %): time per sample divided by that of
  // the top mode at the largest batch of the search space, minus 1. The search profiles this
  // reference point first.
  double slowdown = kNone;
};

struct Goal {
  Objective objective = Objective::kTime;
  Limits limits;
  // Requests per second; 0: not a serving problem. Collecting a batch of b requests takes (b - 1) /
  // rate. Serving is stable only if a minibatch takes at most b / rate.
  double rate_hz = 0;
  // Weights of `cost` = energy_weight x joules + time_weight x seconds, per sample.
  double energy_weight = 1;
  double time_weight = 1;
  // Time per sample of MAXN, for `limits.slowdown`; 0 until it is known.
  double reference_time_s = 0;
  // Power of the idle board in a mode. With a request rate, the energy of a sample then includes
  // the time in which the board waits for the next batch. Null: idle power is not included.
  std::function<double(const PowerMode&)> idle_power_w = {};

  // Throws UsageError for a limit or rate that is not positive, a latency limit without a request
  // rate, or invalid weights.
  void check() const;
  bool needs_reference() const { return limits.slowdown < Limits::kNone; }
  bool counts_idle() const { return rate_hz > 0 && idle_power_w; }
};
// Whether the objective or a limit depends on power or energy.
bool needs_power(const Goal& goal);
// Whether the objective depends on energy.
bool needs_energy(const Goal& goal);

// Worst latency of a request at a constant arrival rate: (batch - 1) / rate + time, the "exact"
// bound of Fulcrum's analysis.
double serving_latency_s(const Goal& goal, int batch, double time_s);
// Energy that the board draws from the end of a minibatch of this cost to the start of the next
// one. 0 unless the goal counts idle power. Idle power is limited to `power_w`.
double idle_energy_j(const Goal& goal, const OperatingPoint& point, double time_s, double power_w);
// Objective, in SI units, of a point with this cost per minibatch.
double objective_value(const Goal& goal, const OperatingPoint& point, double time_s, double power_w,
                       double energy_j);
inline double objective_value(const Goal& goal, const OperatingPoint& point, double time_s,
                              double power_w) {
  return objective_value(goal, point, time_s, power_w, time_s * power_w);
}
inline double objective_value(const Goal& goal, const Observation& seen) {
  return objective_value(goal, seen.point, seen.time_s, seen.power_w, seen.energy_j());
}

// The limits for one batch size, combined into one upper bound per quantity.
struct Bounds {
  double time_s = Limits::kNone;  // smallest of the limits on time, latency, stability and slowdown
  double power_w = Limits::kNone;
  double energy_j = Limits::kNone;
};
Bounds bounds_at(const Goal& goal, int batch);

// The quantities that can be limited.
enum class LimitKind { kPower, kTime, kEnergy, kLatency, kRate, kSlowdown };
constexpr auto enum_names(LimitKind) {
  return named<LimitKind>({{LimitKind::kPower, "power"},
                           {LimitKind::kTime, "time"},
                           {LimitKind::kEnergy, "energy"},
                           {LimitKind::kLatency, "latency"},
                           {LimitKind::kRate, "time between batches"},
                           {LimitKind::kSlowdown, "time per sample"}});
}

// A measured value and one limit, in SI units. For a rate, `value` and `bound` are times between
// batches. For a slowdown, they are times per sample.
struct LimitStand {
  LimitKind kind = LimitKind::kPower;
  double value = 0;
  double bound = 0;
  // Excess as a share of the limit; 0 or less: met.
  double excess() const { return value / bound - 1; }
};
// Returns every limit of the goal that can be evaluated, in the order of LimitKind.
std::vector<LimitStand> limits_at(const Goal& goal, const Observation& seen);

enum class Feasibility { kFeasible, kInfeasible, kUnknown };
constexpr auto enum_names(Feasibility) {
  return named<Feasibility>({{Feasibility::kFeasible, "feasible"},
                             {Feasibility::kInfeasible, "infeasible"},
                             {Feasibility::kUnknown, "unknown"}});
}

// Result of comparing a point with all limits. `excess` is the largest violation as a share (0.03:
// 3 % over the limit), negative if all limits are met. `limit` is that limit.
struct Verdict {
  Feasibility feasibility = Feasibility::kUnknown;
  double excess = 0;
  std::optional<LimitKind> limit;  // empty: there is no limit
};
// Compares `seen` with all limits. The result is kUnknown if a slowdown limit has no reference yet.
Verdict judge(const Goal& goal, const Observation& seen);

// Describes every violated limit as text, the worst first: "power 31.20 W is 4.0 % over the limit
// of 30 W".
std::string explain_miss(const Goal& goal, const Observation& seen);

// Index of the best feasible observation, and of the infeasible observation with the smallest
// excess.
std::optional<std::size_t> best_feasible(const Goal& goal, const std::vector<Observation>& seen);
std::optional<std::size_t> nearest_miss(const Goal& goal, const std::vector<Observation>& seen);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
