// Arrivals whose rate changes: estimate it online, re-plan among what is profiled, and set the
// result against an oracle that knows the trace.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

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
  double epoch_s = 1;          // how often it is reconsidered
  double mode_change_s = 0.2;  // cost of changing the mode: the device pauses
  double initial_rate_hz = 0;  // planned for before anything arrived; 0: the first epochs' estimate

  void check() const;
};

// Plans among `candidates` (those that were profiled). The power budget is never exceeded; the
// latency bound is when no candidate can meet it at the present rate, and then the candidate with
// the most capacity serves.
class DynamicController : public Controller {
 public:
  // Throws NoSolutionError when no candidate is within the power budget.
  DynamicController(std::vector<Candidate> candidates, const PlanProblem& problem,
                    const DynamicOptions& options);

  std::optional<Setting> decide(double now_s, std::span<const double> arrivals_so_far) override;
  // What to begin with.
  Setting initial() const;
  std::size_t plans_changed() const { return plans_changed_; }

 private:
  const Candidate& choose(double rate_hz) const;
  Setting setting(const Candidate& candidate, double rate_hz) const;
  bool meets(const Candidate& candidate, double rate_hz) const;
  double dwell_s() const;

  std::vector<Candidate> candidates_;  // within the power budget
  PlanProblem problem_;
  DynamicOptions options_;
  const Candidate* current_ = nullptr;
  double planned_rate_hz_ = 0;
  double changed_s_ = 0;
  std::size_t plans_changed_ = 0;
};

// Simulates the trace with re-planning, with one plan for the whole trace, and the oracle.
struct DynamicSummary {
  Simulation dynamic;
  std::size_t windows = 0;
  std::size_t feasible = 0;  // the oracle meets the bound on p99 there
  std::size_t met = 0;       // of the feasible ones
  double met_share = 0;
  double training_hz = 0;         // mean over feasible windows
  double oracle_training_hz = 0;  // same
  double regret = 0;              // 1 - training / oracle
  std::size_t plans_changed = 0;
  // One plan for the highest rate of a window: what need not re-plan.
  std::size_t static_met = 0;
  double static_training_hz = 0;
};

// `candidates`: profiled, for the controller. `all`: what the oracle may choose from; it knows each
// window's arrivals, takes the plan that trains most there while the window's p99 stays within the
// bound, found by simulation from an empty queue, and changes modes for free.
DynamicSummary run_dynamic(const std::vector<Candidate>& candidates,
                           const std::vector<Candidate>& all, const PlanProblem& problem,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options);

}  // namespace ridgewatt
