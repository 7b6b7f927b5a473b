// Arrivals whose rate changes: estimate it online, re-plan among what is profiled, and set the
// result against what no schedule can exceed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt::schedule {

// Arrival rate from the arrivals so far. A long window is accurate, a short one is quick: the long
// one counts unless the short one differs from it by more than chance explains.
struct RateEstimator {
  double short_s = 3;
  double long_s = 15;
  double sigmas = 3;  // of the short window's Poisson count
  // Requests per second at `now_s`; `arrivals` ascending, all at or before `now_s`.
  double estimate(double now_s, std::span<const double> arrivals) const;
};

inline constexpr double kLeastRateHz = 0.01;  // planned for where next to nothing arrives

struct DynamicOptions {
  RateEstimator estimator;
  // Plans are made for the estimate times 1 + headroom.
  double headroom = 0.15;
  // A feasible plan is left only for one with this much more training, and not before the dwell.
  double hysteresis = 0.05;
  double dwell_s = 5;
  double epoch_s = 0.25;       // how often it is reconsidered
  double mode_change_s = 0.2;  // cost of changing the mode: the device pauses
  bool late_last = true;       // SimulationOptions::late_last
  double initial_rate_hz = 0;  // planned for before anything arrived; 0: the first epochs' estimate

  void check() const;
};

// How a plan stands at the present rates.
struct PlanStanding {
  bool meets = false;  // the rates as estimated, without headroom
  double training_hz = 0, late_share = 0;
  bool trains = false;
};
// Whether to leave the present plan for the wanted one, `since_s` after the last change. A plan is
// made with headroom, but left only when the estimate itself is too much for it, or for more
// training; in an overload, when clearly fewer requests are late.
bool worth_changing(const PlanStanding& present, const PlanStanding& wanted, double since_s,
                    double max_latency_s, const DynamicOptions& options);

// How plans are executed while they change: training fills what serving leaves.
SimulationOptions dynamic_simulation(SimulationOptions simulation, const PlanProblem& problem,
                                     const DynamicOptions& options);

// Re-plans among what was profiled. The power budget is never exceeded; the latency bound is when
// no plan can meet it at the present rate, and then the plan that serves most in time runs, and
// nothing is trained.
class DynamicController : public Controller {
 public:
  DynamicController(PlanBook& book, const DynamicOptions& options);

  std::optional<ServingPlan> decide(double now_s, std::span<const double> arrivals_so_far) override;
  // The present plan; before the first decision, what to begin with.
  ServingPlan serving_plan() const;
  std::size_t plans_changed() const { return plans_changed_; }

 private:
  PlanBook& book_;
  DynamicOptions options_;
  const Candidate* current_ = nullptr;
  double planned_rate_hz_ = 0;
  double changed_s_ = 0;
  std::size_t plans_changed_ = 0;
};

// How a policy did over the windows of traces. A window is met when the 99th percentile of the
// latency of its requests keeps the bound.
struct PolicyScore {
  std::size_t met = 0;
  // Training rates summed over the windows that were met: of the policy, the most that a plan was
  // found for (at least the policy's own), and what no schedule can exceed.
  double training_sum_hz = 0;
  double achievable_sum_hz = 0;
  double bound_sum_hz = 0;

  // Means over the windows that were met; 0 without any.
  double training_hz() const { return mean(training_sum_hz); }
  double achievable_hz() const { return mean(achievable_sum_hz); }
  double bound_hz() const { return mean(bound_sum_hz); }
  // Training short of the bound, and of what a plan was found for, as a share of it: the regret
  // against the optimum lies between the two.
  double regret() const { return bound_sum_hz > 0 ? 1 - training_sum_hz / bound_sum_hz : 0; }
  double least_regret() const {
    return achievable_sum_hz > 0 ? 1 - training_sum_hz / achievable_sum_hz : 0;
  }
  void add(const PolicyScore& other);

 private:
  double mean(double sum) const { return met > 0 ? sum / static_cast<double>(met) : 0; }
};

// A trace with re-planning, with one plan for the whole trace, and what was possible.
struct DynamicSummary {
  Simulation dynamic;
  std::size_t requests = 0;
  std::size_t windows = 0;
  std::size_t possible = 0;  // not proven to be beyond every schedule
  std::size_t feasible = 0;  // a plan is known that meets it: the policy's or a clairvoyant one
  PolicyScore policy;
  PolicyScore constant;  // one plan for the highest rate of a window: what need not re-plan
  // The highest ratio of training to the bound in a window that was met, by either policy.
  double highest_share_of_bound = 0;
  std::size_t plans_changed = 0;
  std::size_t mode_changes = 0;
  double energy_j = 0, duration_s = 0;  // with re-planning

  double mean_power_w() const { return duration_s > 0 ? energy_j / duration_s : 0; }
  // Of the possible windows; 0 without any.
  double met_share(const PolicyScore& score) const {
    return possible > 0 ? static_cast<double>(score.met) / static_cast<double>(possible) : 0;
  }
  // Counts and sums of another trace.
  void add(const DynamicSummary& other);
};

// `book`: of what was profiled, for the controller. `all`: every mode, for what is possible.
DynamicSummary run_dynamic(PlanBook& book, std::span<const Candidate> all,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options);

}  // namespace ridgewatt::schedule
