// The cycle of managed interleaving: one DNN on the accelerator at a time, switched between
// minibatches. Requests arrive at rate a and are gathered into batches of b; each batch is one
// inference minibatch, and what is left of the period b / a goes to training minibatches:
//
//   |-- inference t_in --|-- train t_tr --|-- train t_tr --| idle |-- inference ...
//   |<--------------------------- b / a -------------------------->|
//
// Where going from one program to another costs `switch_s`, the inference and the first training
// minibatch of a cycle take so much longer; where several trainings take turns, each of them.
//
// Closed forms after Fulcrum (Prashanthi, Simmhan et al.), with three bounds on the worst latency.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::schedule {

// What the worst latency of a request counts.
enum class Bound {
  kPublished,  // b / a + t_in, as the paper has it
  kExact,      // (b - 1) / a + t_in: the first request of a batch waits for b - 1 more
  kStrict      // exact + the training minibatch that may be in flight when the batch is due
};
constexpr auto enum_names(Bound) {
  return named<Bound>(
      {{Bound::kPublished, "published"}, {Bound::kExact, "exact"}, {Bound::kStrict, "strict"}});
}

// Periods after which a cycle whose inference has not come is overdue: training gets its next turn.
inline constexpr double kOverduePeriods = 1.1;

// One minibatch of a workload.
struct Minibatch {
  int batch = 0;  // 0: batch is not a dimension of its sweep
  double time_s = 0;
  double power_w = 0;
  // Of its time the share in which the device runs for it, where that is known, and how many CPU
  // cores it keeps busy, 0 where it is not (native_sharing.h).
  std::optional<double> busy_share = {};
  double busy_cores = 0;
};

// Background work between two inference minibatches. One training workload has one minibatch per
// round; several background workloads take turns, and a round has one minibatch of each.
struct Round {
  double time_s = 0;
  double power_w = 0;  // highest of its minibatches
  double energy_j = 0;
  double blocking_s = 0;               // its longest minibatch
  double samples = 1;                  // what the objective counts
  double required_hz = 0;              // least rounds per second that its own streams need
  std::vector<Minibatch> minibatches;  // in order; empty: only the totals are known

  // A round of one minibatch.
  static Round of(const Minibatch& minibatch);
  // Appends one; `required_samples_hz`: what its stream needs at least.
  void add(const Minibatch& minibatch, double minibatch_energy_j, double required_samples_hz);
};

// What runs in one period: the urgent inference, and a round of background work; either may be
// absent. Times and powers are those of one mode.
struct Candidate {
  PowerMode mode;
  std::optional<Minibatch> inference;
  std::optional<Round> background;
  double idle_power_w = 0;  // while nothing runs
  // What the first minibatch after another program's takes longer (switch_cost.h).
  double switch_s = 0;

  // For sums: nothing that takes no time where it is absent.
  const Minibatch& infer() const { return inference ? *inference : kNoMinibatch; }
  const Round& train() const { return background ? *background : kNoRound; }
  // The operating point of the inference; batch 0 without one.
  OperatingPoint point() const { return {mode, infer().batch}; }
  // The higher of the two powers (scheduling of both: the peak of the cycle).
  double peak_power_w() const { return std::max(infer().power_w, train().power_w); }

 private:
  static const Minibatch kNoMinibatch;
  static const Round kNoRound;
};

// A candidate at an arrival rate.
struct Cycle {
  bool stable = false;  // t_in <= b / a
  double period_s = 0;  // b / a; for training alone the time of a round
  // Rounds of the background a cycle: n = floor((b / a - t_in - switches) / t_tr). One training
  // workload: its minibatches.
  int training_minibatches = 0;
  double training_throughput_hz = 0;  // n a / b: minibatches (rounds) a second
  double latency_s = 0;               // worst latency under the bound; 0 without inference
  double peak_power_w = 0;
  double busy_power_w = 0;   // time-weighted mean while the device is busy
  double busy_energy_w = 0;  // energy of the minibatches of a cycle, per second of the period
  double utilization = 0;    // busy share of the period
  double mean_power_w = 0;   // over the period, idle time at idle power
};

// Switches of a round itself: each minibatch of several programs that take turns is one.
double round_switch_s(const Candidate& candidate);

// `arrival_rate_hz` > 0 where the candidate has inference.
Cycle make_cycle(const Candidate& candidate, double arrival_rate_hz, Bound bound);

// Training rounds per second when training fills all that inference leaves: (1 - a t_in / b) /
// t_tr; without training the share of the device that inference leaves.
double fill_throughput_hz(const Candidate& candidate, double arrival_rate_hz);

// Serving with batches that are sent off before they are full when their oldest request could no
// longer meet the bound otherwise.
struct EarlyDispatch {
  // Requests that gather during training: of the bound remain the inference minibatch and the
  // training minibatch that may be in its way.
  double requests = 0;
  double fill_hz = 0;  // fill_throughput_hz with such batches; negative: not stable
};
EarlyDispatch early_dispatch(const Candidate& candidate, double arrival_rate_hz,
                             double max_latency_s);

// What a plan must meet.
struct PlanProblem {
  double arrival_rate_hz = 0;  // of the urgent requests
  double max_latency_s = std::numeric_limits<double>::infinity();
  double max_power_w = std::numeric_limits<double>::infinity();
  Bound bound = Bound::kStrict;

  // Throws UsageError when a number is not positive.
  void check(bool has_inference) const;
};

// 0 when the cycle meets the problem, else by which share its worst constraint is missed (0.1:
// 10 % over).
double violation(const Candidate& candidate, const Cycle& cycle, const PlanProblem& problem);

}  // namespace ridgewatt::schedule
