// The goal of a program that runs for hours.
//
//   Goal job{.end_s = 6 * 3600, .minibatches = 40000};          // done by then, least energy
//   Goal day{.end_s = 24 * 3600, .energy_j = 1.2e6};            // most work with this energy
//   Goal cap{.power_w = 25};                                    // most work under this power
//   Goal serve{.latency_s = 0.05, .batch = 4};                  // least power within this latency
//
// A power cap may be combined with each of the others.
#pragma once

#include <limits>
#include <string>

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
  double end_s = kNone;      // of the job or the day, since the start
  double minibatches = 0;    // of the job, to be done by `end_s`; 0: no job
  double energy_j = kNone;   // energy until `end_s`
  double power_w = kNone;    // mean of any window
  double latency_s = kNone;  // worst of a request, according to latency_s() below
  int batch = 1;             // requests in a minibatch

  // Throws UsageError if there is no goal, more than one of job, budget and latency, or an invalid
  // value.
  void check() const;
  GoalKind kind() const;
  std::string text() const;  // "done by 6 h with the least energy, under 30 W"
};

// The tolerance within which a goal counts as met: a deadline by 2 % of its time, a budget by 3 %
// of its energy, a cap in 1 % of the windows, a latency by 3 % of the requests.
double tolerance(GoalKind kind);

// Latency of a request that arrives in a Poisson process of `rate_hz`: the time to gather its
// batch, the wait for the minibatches before it (M/D/1 queue: rho / (2 (1 - rho)) of a minibatch,
// Pollaczek 1930) and its own minibatch. Infinite if minibatches arrive faster than they are
// served.
double latency_s(double rate_hz, int batch, double minibatch_s);

}  // namespace ridgewatt::govern
