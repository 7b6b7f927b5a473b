// Meets a goal over hours despite uncertainty: differences between board and twin, other processes,
// temperature, pauses. The same class decides on a board and in simulation.
//
//   Policy policy(goal, twin_prior(modes, view), idle_powers(twin, modes));
//   while (..) {
//     const Decision next = policy.decide({now_s, minibatches, energy_j});
//     .. run in modes[next.mode] for next.for_s ..
//     policy.see({next.mode, duration_s, paused_s, minibatches, energy_j});
//   }
//
// Every step plans the rest again (model-predictive control): of all mixes of two modes the one
// that completes the rest of the work in time at the least power, or does the most work with the
// rest of the energy (govern/mix.h), according to the present belief about each mode
// (govern/belief.h). The faster mode of the mix comes first, so that time is left for later
// problems. A mode is kept unless the best mix with it is worse than the best of all by more than
// `hysteresis`. An untried mode is tried if its expected saving over the rest exceeds the expected
// cost of the trial (expected improvement, Mockus 1975). After a trial the previous mode runs
// again: if its values have changed, the day has changed during the trial, and the trial does not
// count.
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
  double step_s = 60;            // between two decisions, at most
  double least_step_s = 2;       // at least: the time to set a mode and see its power
  double margin = 0.004;         // of the whole time, kept free before the end
  double budget_margin = 0.004;  // of the energy budget
  double hysteresis = 0.005;     // required improvement of another mix
  double caution = 1.3;          // deviations between the expected value and a cap or latency limit
  double trial_cost = 2;         // required ratio of the expected saving to the cost of a trial
  double trial_s = 30;
  double trial_share = 0.1;     // maximum share of time for all trials
  double rate_headroom = 0.15;  // of requests, above the observed rate
  // Throws UsageError.
  void check() const;
};

// The current state.
struct Standing {
  double now_s = 0;        // since the start
  double minibatches = 0;  // done
  double energy_j = 0;     // used
  double rate_hz = 0;      // of requests, for a latency goal
};

struct Decision {
  std::optional<std::size_t> mode;  // empty: idle, in the mode with the lowest idle power
  double for_s = 0;
  std::string reason;
  // The expectation for the rest: its end, the energy until the goal's end, the work done by then.
  double end_s = 0, energy_j = 0, minibatches = 0;
  bool reachable = true;
};

// An observation in one mode.
struct Window {
  std::size_t mode = 0;
  double duration_s = 0;
  // part of it in which the program made no minibatches: a checkpoint, a validation
  double paused_s = 0;
  double minibatches = 0;
  double energy_j = 0;  // 0: unknown
  // Relative deviations of the measurement.
  double time_sd = 0.005, power_sd = 0.005;
};

class Policy {
 public:
  // The modes that may be chosen (govern/modes.h), and the idle power of each. Throws UsageError.
  Policy(const Goal& goal, ModePrior prior, std::vector<double> idle_w,
         const PolicyOptions& options = {});

  Decision decide(const Standing& standing);
  void see(const Window& window);
  // Idle power of the board in rest_mode(). Until it is observed, the value of the twin is used.
  void see_rest(double power_w);

  const Goal& goal() const { return goal_; }
  const ModeBelief& belief() const { return belief_; }
  std::size_t rest_mode() const { return rest_; }
  std::size_t trials() const { return trials_; }
  // The observed share of time in which the program makes minibatches.
  double working_share() const;

 private:
  // The options of a mix: allowed modes, and idle as the last.
  struct Menu {
    std::vector<RatePower> options;
    std::vector<std::size_t> modes;  // kRest for idle
  };
  static constexpr std::size_t kRest = static_cast<std::size_t>(-1);

  Menu menu(double horizon_s) const;
  std::vector<char> allowed() const;
  double idle_w(std::size_t mode) const;
  Decision plan_job(const Standing& standing);
  Decision plan_budget(const Standing& standing);
  Decision plan_cap() const;
  Decision plan_latency(const Standing& standing) const;
  // The option of the menu to run first if the best mix is `best`.
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
  double rest_factor_ = 1;  // observed over modelled idle power
  std::optional<std::size_t> current_;
  bool trying_ = false;            // the present step is a trial
  std::optional<Window> pending_;  // of a trial, until the previous mode is seen again
  double seen_s_ = 0, working_s_ = 0, trial_s_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace ridgewatt::govern
