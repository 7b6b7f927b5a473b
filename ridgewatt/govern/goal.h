// The goal of a program that runs for hours.
//
//   Goal job{.end_s = 6 * 3600, .minibatches = 40000};  // complete in time with the least energy
//   Goal day{.end_s = 24 * 3600, .energy_j = 1.2e6};    // most work within the energy budget
//   Goal cap{.power_w = 25};                            // most work within the power cap
//   Goal serve{.latency_s = 0.05, .batch = 4};          // least power within the latency limit
//
// A power cap can be combined with each of the other goals.
#pragma once

#include <limits>

#include "ridgewatt/base/enum_names.h"

namespace ridgewatt::govern {

enum class GoalKind { kDeadline, kEnergy, kPower, kLatency };
constexpr auto enum_names(GoalKind) {
  return named<GoalKind>({{GoalKind::kDeadline, "deadline"},
                          {GoalKind::kEnergy, "energy"},
                          {GoalKind::kPower, "power"},
                          {GoalKind::kLatency, "latency"}});
}

struct Goal {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double end_s = kNone;      // end of the job or of the budget, since the start
  double minibatches = 0;    // size of a job with the deadline `end_s`; 0: no job
  double energy_j = kNone;   // energy budget until `end_s`
  double power_w = kNone;    // cap on the mean power of each window
  double latency_s = kNone;  // limit on the latency of a request, see latency_s() below
  int batch = 1;             // number of requests in a minibatch

  // Throws UsageError if there is no goal, if more than one of job, budget and latency is set, or
  // for an invalid value.
  void check() const;
  GoalKind kind() const;
};

// Returns the tolerance within which a goal counts as met: 2 % of the time for a deadline, 3 % of
// the energy for a budget, 1 % of the windows for a cap, 3 % of the requests for a latency.
double tolerance(GoalKind kind);

// Returns the latency of a request in a Poisson process of `rate_hz`: the time to gather a batch,
// the wait for earlier minibatches, and its own minibatch. The wait is that of an M/D/1 queue, rho
// / (2 (1 - rho)) minibatches (Pollaczek 1930). Infinite if minibatches arrive faster than they are
// served.
double latency_s(double rate_hz, int batch, double minibatch_s);

}  // namespace ridgewatt::govern
