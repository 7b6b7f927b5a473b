// Holds a goal over hours under what is not known: how far the board is from its twin, other
// processes, warmth, pauses. One class decides on a board and in simulation.
//
//   Policy policy(goal, twin_prior(modes, view), idle_powers(twin, modes));
//   while (..) {
//     const Decision next = policy.decide({now_s, minibatches, energy_j});
//     .. run in modes[next.mode] for next.for_s ..
//     policy.see({next.mode, duration_s, paused_s, minibatches, energy_j});
//   }
//
// At every step the rest is planned anew (model-predictive control): of all mixes of two modes the
// one that brings the rest of the work to its end in time at the least power, or the most work out
// of the rest of the energy (govern/mix.h), by what is believed of each mode now
// (govern/belief.h). The faster mode of the mix comes first, so that what goes wrong later finds
// time. A mode is left only when the best mix with it is worse than the best of all by more than
// `hysteresis`. A mode that was not tried is tried when what it is expected to save over the rest
// is more than what the trial is expected to cost (expected improvement, Mockus 1975). After a
// trial the mode before it comes again: when it is no longer what it was, the day has changed
// meanwhile and the trial does not count.
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
  double least_step_s = 2;       // and at least: what it takes to set a mode and to see its power
  double margin = 0.004;         // of the whole time that is kept free before the end
  double budget_margin = 0.004;  // and of the energy budget
  double hysteresis = 0.005;     // by which another mix must be better
  double caution = 1.3;          // deviations by which a cap or a latency is kept away from
  double trial_cost = 2;         // a trial must promise so many times what it costs
  double trial_s = 30;
  double trial_share = 0.1;     // of the time that trials may take in all
  double rate_headroom = 0.15;  // of requests, above the rate that was seen
  // Throws UsageError.
  void check() const;
};

// Where things stand.
struct Standing {
  double now_s = 0;        // from the beginning
  double minibatches = 0;  // done
  double energy_j = 0;     // used
  double rate_hz = 0;      // of requests, for a latency goal
};

struct Decision {
  std::optional<std::size_t> mode;  // nothing: rest, in the mode that idles at the least power
  double for_s = 0;
  std::string reason;
  // What is expected of the rest: its end, the energy until the goal's end, the work done by then.
  double end_s = 0, energy_j = 0, minibatches = 0;
  bool reachable = true;
};

// What was seen in one mode.
struct Window {
  std::size_t mode = 0;
  double duration_s = 0;
  double paused_s = 0;  // of it the program itself made no minibatches: a checkpoint, a validation
  double minibatches = 0;
  double energy_j = 0;  // 0: not known
  // Relative deviations of the measurement.
  double time_sd = 0.005, power_sd = 0.005;
};

class Policy {
 public:
  // Of the modes that may be chosen (govern/modes.h), and what each draws at rest. UsageError.
  Policy(const Goal& goal, ModePrior prior, std::vector<double> idle_w,
         const PolicyOptions& options = {});

  Decision decide(const Standing& standing);
  void see(const Window& window);
  // Power of the board at rest, in rest_mode(). Before it was seen, that of the twin counts.
  void see_rest(double power_w);

  const Goal& goal() const { return goal_; }
  const ModeBelief& belief() const { return belief_; }
  std::size_t rest_mode() const { return rest_; }
  std::size_t trials() const { return trials_; }
  // Share of the time in which the program makes minibatches, as far as was seen.
  double working_share() const;

 private:
  // What can be mixed: allowed modes, the rest last.
  struct Menu {
    std::vector<RatePower> options;
    std::vector<std::size_t> modes;  // kRest for the rest
  };
  static constexpr std::size_t kRest = static_cast<std::size_t>(-1);

  Menu menu(double horizon_s) const;
  std::vector<char> allowed() const;
  double idle_w(std::size_t mode) const;
  Decision plan_job(const Standing& standing);
  Decision plan_budget(const Standing& standing);
  Decision plan_cap() const;
  Decision plan_latency(const Standing& standing) const;
  // Which of the menu to run first, if the best mix is `best`.
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
  double rest_factor_ = 1;  // seen over modelled, of the power at rest
  std::optional<std::size_t> current_;
  bool trying_ = false;            // what runs now is a trial
  std::optional<Window> pending_;  // of a trial, until the mode before it is seen again
  double seen_s_ = 0, working_s_ = 0, trial_s_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace ridgewatt::govern
