// Decides when to use which mode, so that a goal over hours is met. The board may differ from its
// twin, and other processes, temperature and pauses may change. The same class is used on a real
// board and in simulations.
//
//   Policy policy(goal, twin_prior(modes, view), idle_powers(twin, modes));
//   while (..) {
//     const Decision next = policy.decide({now_s, minibatches, energy_j});
//     .. run in modes[next.mode] for next.for_s ..
//     policy.see({next.mode, duration_s, paused_s, minibatches, energy_j});
//   }
//
// At each step the policy plans the remaining time (model-predictive control) from its current
// estimate of each mode (govern/belief.h). It chooses the best mix of two modes (govern/mix.h): the
// mix that completes the remaining work in time at the least power, or that does the most work with
// the remaining energy. The faster mode of the mix runs first, which leaves time for later
// problems. The current mode is kept unless the best mix with it is worse than the best mix by more
// than `hysteresis`.
//
// A mode without observations is tried if its expected saving over the remaining time exceeds the
// expected cost of the trial (expected improvement, Mockus 1975). After a trial the previous mode
// runs again. If the values of the previous mode have changed, the conditions changed during the
// trial, and the trial is discarded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/govern/belief.h"
#include "ridgewatt/govern/goal.h"
#include "ridgewatt/govern/mix.h"

namespace ridgewatt::govern {

struct PolicyOptions {
  BeliefOptions belief = {};
  double step_s = 60;            // maximum time between two decisions
  double least_step_s = 2;       // minimum time, needed to set a mode and observe its power
  double margin = 0.004;         // share of the time that is kept in reserve before the end
  double budget_margin = 0.004;  // share of the energy budget that is kept in reserve
  double hysteresis = 0.005;     // minimum improvement of another mix, as a share
  // Number of standard deviations between the estimate and a cap or latency limit.
  double caution = 1.3;
  double trial_cost = 2;  // minimum ratio of the expected saving to the expected cost of a trial
  // Duration of a trial.
  double trial_s = 30;
  double trial_share = 0.1;     // maximum share of time for all trials
  double rate_headroom = 0.15;  // share by which planned request rates exceed the observed rate
  // Throws UsageError for an invalid option.
  void check() const;
};

// The current state of the run.
struct Standing {
  double now_s = 0;        // time since the start
  double minibatches = 0;  // completed since the start
  double energy_j = 0;     // used since the start
  double rate_hz = 0;      // current rate of requests, for a latency goal
};

// The result of a step. `mode` is an index into the modes of the prior.
struct Decision {
  std::optional<std::size_t> mode;  // absent: idle in rest_mode()
  // Time until the next decision.
  double for_s = 0;
  std::string reason;
  // Expected end of the work; expected energy and work until the end of the goal.
  double end_s = 0, energy_j = 0, minibatches = 0;
  // Whether the goal can still be met according to the estimates.
  bool reachable = true;
};

// What was observed in one mode.
struct Window {
  std::size_t mode = 0;
  double duration_s = 0;
  // Part of the duration without minibatches, for example a checkpoint or a validation.
  double paused_s = 0;
  double minibatches = 0;
  double energy_j = 0;  // 0: unknown
  // Relative standard deviations of the measurement.
  double time_sd = 0.005, power_sd = 0.005;
};

class Policy {
 public:
  // `prior` has the candidate modes (govern/modes.h), `idle_w` the idle power of each. Throws
  // UsageError for an invalid goal or option, or if the sizes differ.
  Policy(const Goal& goal, ModePrior prior, std::vector<double> idle_w,
         const PolicyOptions& options = {});

  // Plans the remaining time and returns what to do next.
  Decision decide(const Standing& standing);
  // Learns from the window that followed the last decision.
  void see(const Window& window);
  // Replaces the twin's idle power of rest_mode() by a measured value, and scales the other idle
  // powers accordingly.
  void see_rest(double power_w);

  const Goal& goal() const { return goal_; }
  const ModeBelief& belief() const { return belief_; }
  // Returns the index of the mode with the lowest idle power.
  std::size_t rest_mode() const { return rest_; }
  // Returns the number of trials so far.
  std::size_t trials() const { return trials_; }
  // Returns the share of time in which the program computes minibatches, as observed so far.
  double working_share() const;

 private:
  // The options of a mix: the allowed modes, then idle.
  struct Menu {
    std::vector<RatePower> options;
    std::vector<std::size_t> modes;  // indices of the modes; kRest for idle
  };
  static constexpr std::size_t kRest = static_cast<std::size_t>(-1);

  Menu menu(double horizon_s) const;
  std::vector<char> allowed() const;
  double idle_w(std::size_t mode) const;
  Decision plan_job(const Standing& standing);
  Decision plan_budget(const Standing& standing);
  Decision plan_cap() const;
  Decision plan_latency(const Standing& standing) const;
  // Returns the option of the mix `best` that runs first.
  std::size_t first_of(const Menu& menu, const Mix& best, bool at_rate, double left_s) const;
  std::optional<std::size_t> worth_a_trial(const Menu& menu, const Mix& best, double left_s) const;
  double step_s(double left_s) const;
  bool known(std::optional<std::size_t> mode) const;
  void learn(const Window& window);
  bool saves_more_than_it_costs(double gap, double gap_sd, double weight, double left_s) const;

  Goal goal_;
  PolicyOptions options_;
  ModeBelief belief_;
  std::vector<double> idle_w_;
  std::size_t rest_ = 0;
  double rest_factor_ = 1;  // observed idle power divided by that of the twin
  std::optional<std::size_t> current_;
  bool trying_ = false;            // whether the current step is a trial
  std::optional<Window> pending_;  // window of a trial, until the previous mode is observed again
  double seen_s_ = 0, working_s_ = 0, trial_s_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace ridgewatt::govern
