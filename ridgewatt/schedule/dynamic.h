// Serving of requests whose arrival rate changes. The rate is estimated online, and the plan
// changes among the profiled points. The result can be compared with an upper bound for any
// schedule.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt::schedule {

// Estimates the arrival rate. A long window is accurate and a short one is quick. The long window
// is used unless the rates of both windows differ by more than random variation.
struct RateEstimator {
  double short_s = 3;
  double long_s = 15;
  // Random variation, in standard deviations of the short window's Poisson count.
  double sigmas = 3;
  // Returns requests per second at `now_s`. `arrivals` are ascending and not later than `now_s`.
  double estimate(double now_s, std::span<const double> arrivals) const;
};

inline constexpr double kLeastRateHz = 0.01;  // lowest rate for which plans are made

struct DynamicOptions {
  RateEstimator estimator;
  // Plans are made for the estimated rate times (1 + headroom).
  double headroom = 0.15;
  // A plan that meets its bound is replaced only by a plan with at least this share more training,
  // and only `dwell_s` after the last change.
  double hysteresis = 0.05;
  double dwell_s = 5;
  double epoch_s = 0.25;       // interval at which the plan is reconsidered
  double mode_change_s = 0.2;  // pause of the device when the mode changes
  bool late_last = true;       // see SimulationOptions::late_last
  // Rate of the first plan. 0: the lowest rate, until the first estimate.
  double initial_rate_hz = 0;

  // Throws UsageError for an invalid option.
  void check() const;
};

// Performance of a plan at the current rates.
struct PlanStanding {
  bool meets = false;  // meets the latency bound at the estimated rates, without headroom
  double training_hz = 0, late_share = 0;  // at the rates with headroom
  bool trains = false;
};
// Returns whether to replace the `present` plan by the `wanted` one, `since_s` after the last
// change. Plans are made with headroom. If the present plan meets its bound at the estimated rate,
// it is replaced only by a plan with more training. Otherwise it is replaced if one of the two
// plans trains, or if clearly fewer requests will be late.
bool worth_changing(const PlanStanding& present, const PlanStanding& wanted, double since_s,
                    double max_latency_s, const DynamicOptions& options);

// Returns the options with which changing plans are executed: training fills all time that serving
// does not use.
SimulationOptions dynamic_simulation(SimulationOptions simulation, const PlanProblem& problem,
                                     const DynamicOptions& options);

// Changes the plan among the profiled points. It never exceeds the power budget. If no plan can
// meet the latency bound at the current rate, it selects the plan without training that serves most
// requests in time.
class DynamicController : public Controller {
 public:
  // `book` must outlive this.
  DynamicController(PlanBook& book, const DynamicOptions& options);

  std::optional<ServingPlan> decide(double now_s, std::span<const double> arrivals_so_far) override;
  // Returns the current plan; before the first decision, the initial one.
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

// Score of a policy over the windows of traces. A window is met if the 99th percentile of its
// requests' latencies is within the bound.
struct PolicyScore {
  std::size_t met = 0;
  // Training rates summed over the windows that were met: of the policy itself, of the best plan
  // known for the window (at least the policy's own), and the upper bound for any schedule.
  double training_sum_hz = 0;
  double achievable_sum_hz = 0;
  double bound_sum_hz = 0;

  // Means over the windows that were met; 0 if there are none.
  double training_hz() const { return mean(training_sum_hz); }
  double achievable_hz() const { return mean(achievable_sum_hz); }
  double bound_hz() const { return mean(bound_sum_hz); }
  // Shortfall of training as a share, relative to the upper bound and relative to the best known
  // plan. The regret relative to the true optimum lies between the two.
  double regret() const { return bound_sum_hz > 0 ? 1 - training_sum_hz / bound_sum_hz : 0; }
  double least_regret() const {
    return achievable_sum_hz > 0 ? 1 - training_sum_hz / achievable_sum_hz : 0;
  }
  void add(const PolicyScore& other);

 private:
  double mean(double sum) const { return met > 0 ? sum / static_cast<double>(met) : 0; }
};

// The results on a trace: with plan changes, with one constant plan, and upper bounds.
struct DynamicSummary {
  Simulation dynamic;
  std::size_t requests = 0;
  std::size_t windows = 0;
  std::size_t possible = 0;  // windows that some schedule may meet according to the upper bound
  // Windows that a known plan meets: the plan of a policy, or a plan made with knowledge of the
  // arrivals.
  std::size_t feasible = 0;
  PolicyScore policy;
  PolicyScore constant;  // with one plan for the highest rate of any window
  // Highest ratio of a policy's training to the upper bound in a window that it met.
  double highest_share_of_bound = 0;
  std::size_t plans_changed = 0;
  std::size_t mode_changes = 0;
  double energy_j = 0, duration_s = 0;  // with plan changes

  double mean_power_w() const { return duration_s > 0 ? energy_j / duration_s : 0; }
  // Share of the possible windows that were met; 0 if there are none.
  double met_share(const PolicyScore& score) const {
    return possible > 0 ? static_cast<double>(score.met) / static_cast<double>(possible) : 0;
  }
  // Adds the counts and sums of another trace.
  void add(const DynamicSummary& other);
};

// Runs a trace. `book` holds the profiled points, for the controller. `all` holds every candidate,
// for the upper bound and the best known plan.
DynamicSummary run_dynamic(PlanBook& book, std::span<const Candidate> all,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options);

}  // namespace ridgewatt::schedule
