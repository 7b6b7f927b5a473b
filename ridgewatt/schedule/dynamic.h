// Arrivals whose rate changes: estimate it online, re-plan among what is profiled, and set the
// result against an oracle that knows the trace.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt {

// Arrival rate from the arrivals so far. A long window is accurate, a short one is quick: the long
// one counts unless the short one differs from it by more than chance explains.
struct RateEstimator {
  double short_s = 3;
  double long_s = 15;
  double sigmas = 3;  // of the short window's Poisson count
  // Requests a second at `now_s`; `arrivals` ascending, all at or before `now_s`.
  double estimate(double now_s, std::span<const double> arrivals) const;
};

struct DynamicOptions {
  RateEstimator estimator;
  // Plans are made for the estimate times 1 + head_room.
  double head_room = 0.15;
  // A feasible plan is left only for one with this much more training, and not before the dwell.
  double hysteresis = 0.05;
  double dwell_s = 5;
  double epoch_s = 0.25;       // how often it is reconsidered
  double mode_change_s = 0.2;  // cost of changing the mode: the device pauses
  bool late_last = true;       // SimulationOptions::late_last, for the oracle as well
  double initial_rate_hz = 0;  // planned for before anything arrived; 0: the first epochs' estimate

  void check() const;
};

// How plans are executed while they change: training fills what serving leaves.
SimulationOptions dynamic_simulation(SimulationOptions simulation, const PlanProblem& problem,
                                     const DynamicOptions& options);

// Re-plans among what was profiled. The power budget is never exceeded; the latency bound is when
// no plan can meet it at the present rate, and then the plan that serves most in time runs, and
// nothing is trained.
class DynamicController : public Controller {
 public:
  DynamicController(PlanBook& book, const DynamicOptions& options);

  std::optional<Setting> decide(double now_s, std::span<const double> arrivals_so_far) override;
  // The present plan; before the first decision, what to begin with.
  Setting setting() const;
  std::size_t plans_changed() const { return plans_changed_; }

 private:
  double dwell_s() const;

  PlanBook& book_;
  DynamicOptions options_;
  const Candidate* current_ = nullptr;
  double planned_rate_hz_ = 0;
  double changed_s_ = 0;
  std::size_t plans_changed_ = 0;
};

// Simulates the trace with re-planning, with one plan for the whole trace, and the oracle.
struct DynamicSummary {
  Simulation dynamic;
  std::size_t requests = 0;
  std::size_t windows = 0;
  std::size_t feasible = 0;  // the oracle meets the bound on p99 there
  std::size_t met = 0;       // of the feasible ones
  // Training rates summed over the feasible windows.
  double training_sum_hz = 0;
  double oracle_training_sum_hz = 0;
  std::size_t plans_changed = 0;
  std::size_t mode_changes = 0;
  // One plan for the highest rate of a window: what need not re-plan.
  std::size_t static_met = 0;
  double static_training_sum_hz = 0;

  // Over the feasible windows; 0 without any.
  double met_share() const { return mean(static_cast<double>(met)); }
  double training_hz() const { return mean(training_sum_hz); }
  double oracle_training_hz() const { return mean(oracle_training_sum_hz); }
  double static_met_share() const { return mean(static_cast<double>(static_met)); }
  double static_training_hz() const { return mean(static_training_sum_hz); }
  // 1 - training / oracle.
  double regret() const {
    return oracle_training_sum_hz > 0 ? 1 - training_sum_hz / oracle_training_sum_hz : 0;
  }
  // Counts and sums of another trace.
  void add(const DynamicSummary& other);

 private:
  double mean(double sum) const { return feasible > 0 ? sum / static_cast<double>(feasible) : 0; }
};

// `book`: of what was profiled, for the controller. `all`: what the oracle may choose from.
DynamicSummary run_dynamic(PlanBook& book, std::span<const Candidate> all,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options);

}  // namespace ridgewatt
