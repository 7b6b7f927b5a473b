// The cycle of managed interleaving, by which inference and training share an accelerator. One
// program uses it at a time, and programs are switched between minibatches only. Requests arrive at
// rate a and are collected into batches of b. Each batch is one inference minibatch, and training
// minibatches fill the rest of the period b / a:
//
//   |-- inference t_in --|-- train t_tr --|-- train t_tr --| idle |-- inference ...
//   |<--------------------------- b / a -------------------------->|
//
// If a switch between programs takes `switch_s`, the inference minibatch and the first training
// minibatch of a cycle are longer by this time. If several training workloads take turns, every
// training minibatch is longer by this time.
//
// The formulas follow Fulcrum (Prashanthi, Simmhan et al.), with three definitions of the worst
// latency.
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

// Definition of the worst latency of a request.
enum class Bound {
  kPublished,  // b / a + t_in, as published
  kExact,      // (b - 1) / a + t_in: the first request waits for b - 1 more
  kStrict      // kExact plus a training minibatch, which may run when the batch is full
};
constexpr auto enum_names(Bound) {
  return named<Bound>(
      {{Bound::kPublished, "published"}, {Bound::kExact, "exact"}, {Bound::kStrict, "strict"}});
}

// If no inference minibatch starts within this number of periods, the cycle ends and training
// continues with the next cycle.
inline constexpr double kOverduePeriods = 1.1;

// One minibatch of a workload.
struct Minibatch {
  int batch = 0;  // 0: the sweep has no batch column
  double time_s = 0;
  double power_w = 0;
  // Share of its time in which the minibatch keeps the device busy (absent: unknown), and number of
  // CPU cores that it keeps busy (0: unknown). Used by native_sharing.h.
  std::optional<double> busy_share = {};
  double busy_cores = 0;
};

// The background work between inference minibatches. A round is one minibatch of each background
// workload, in turn.
struct Round {
  double time_s = 0;
  double power_w = 0;  // highest power of its minibatches
  double energy_j = 0;
  double blocking_s = 0;               // duration of its longest minibatch
  double samples = 1;                  // samples per round, which the objective counts
  double required_hz = 0;              // rounds per second that its workloads require
  std::vector<Minibatch> minibatches;  // in order; empty: only the totals are known

  // Returns a round of one minibatch.
  static Round of(const Minibatch& minibatch);
  // Appends a minibatch. `required_samples_hz`: rate that its workload requires; 0: none.
  void add(const Minibatch& minibatch, double minibatch_energy_j, double required_samples_hz);
};

// A combination that a plan may use: an inference minibatch and a round of background work in one
// mode. Either may be absent.
struct Candidate {
  PowerMode mode;
  std::optional<Minibatch> inference;
  std::optional<Round> background;
  double idle_power_w = 0;  // power of the idle board
  // Additional time of a minibatch that follows a minibatch of another program (switch_cost.h).
  double switch_s = 0;

  // Used in sums: an absent minibatch or round counts as one that takes no time.
  const Minibatch& infer() const { return inference ? *inference : kNoMinibatch; }
  const Round& train() const { return background ? *background : kNoRound; }
  // Operating point of the inference; batch 0 without inference.
  OperatingPoint point() const { return {mode, infer().batch}; }
  // Peak power of the cycle: the higher power of inference and background.
  double peak_power_w() const { return std::max(infer().power_w, train().power_w); }

 private:
  static const Minibatch kNoMinibatch;
  static const Round kNoRound;
};

// The cycle of a candidate at an arrival rate.
struct Cycle {
  bool stable = false;  // the inference takes at most a period: t_in <= b / a
  double period_s = 0;  // b / a; for training alone: the time of a round
  // Background rounds per cycle: n = floor((b / a - t_in - switches) / t_tr). With one training
  // workload, these are its minibatches.
  int training_minibatches = 0;
  double training_throughput_hz = 0;  // rounds per second: n a / b
  double latency_s = 0;               // worst latency by the chosen Bound; 0 without inference
  double peak_power_w = 0;
  double busy_power_w = 0;   // time-weighted mean power while the device is busy
  double busy_energy_w = 0;  // energy of the minibatches of a cycle divided by the period
  double utilization = 0;    // share of the period in which the device is busy
  double mean_power_w = 0;   // mean over the period, with idle power while idle
};

// Time for the switches within a round. If several programs take turns, each minibatch needs a
// switch.
double round_switch_s(const Candidate& candidate);

// `arrival_rate_hz` must be positive if the candidate has inference; otherwise it is not used.
Cycle make_cycle(const Candidate& candidate, double arrival_rate_hz, Bound bound);

// Training rounds per second if training fills all time that inference does not use: (1 - a t_in /
// b) / t_tr. Without background work, returns the share of time that inference does not use.
double fill_throughput_hz(const Candidate& candidate, double arrival_rate_hz);

// Serving that starts a batch before it is full if the oldest request would otherwise miss the
// latency bound.
struct EarlyDispatch {
  // Requests that can be collected while training runs. The rest of the latency bound is kept for
  // the inference minibatch and for one training minibatch that may run before it.
  double requests = 0;
  double fill_hz = 0;  // fill_throughput_hz() with such batches. Negative: not stable.
};
EarlyDispatch early_dispatch(const Candidate& candidate, double arrival_rate_hz,
                             double max_latency_s);

// The requirements on a plan.
struct PlanProblem {
  double arrival_rate_hz = 0;  // of the inference requests
  double max_latency_s = std::numeric_limits<double>::infinity();
  double max_power_w = std::numeric_limits<double>::infinity();
  Bound bound = Bound::kStrict;

  // Throws UsageError if a number is not positive.
  void check(bool has_inference) const;
};

// Returns 0 if the cycle meets the problem, else the largest violation of a requirement as a share
// (0.1: 10 % over the limit).
double violation(const Candidate& candidate, const Cycle& cycle, const PlanProblem& problem);

}  // namespace ridgewatt::schedule
