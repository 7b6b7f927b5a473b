// The input of planning for several programs (live.h): the performance of all programs in each
// power mode. A plan chooses among these modes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::schedule {

// An inference program.
struct LiveProgram {
  std::string name;          // Name in its worker's `hello`. Empty: any worker.
  double max_latency_s = 0;  // from the arrival of a request to the end of its minibatch
  double rate_hz = 0;        // assumed before the first requests arrive
};

// One power mode and the minibatches possible in it.
struct LiveMode {
  PowerMode mode;
  std::vector<std::vector<Minibatch>> batches;  // per program, ascending by batch, never empty
  // A round of the training programs. Absent: no training in this mode.
  std::optional<Round> training;
  // Returns the smallest known batch of a program for `count` requests, or else the largest batch.
  const Minibatch& padded(std::size_t program, std::size_t count) const;
};

// Returns the modes that all sweeps have in common, limited to the power budget. A mode has the
// batches within the budget and is left out if a program has no such batch. Training that exceeds
// the budget is left out. Of several training batches, the largest is used. Throws InputError if
// the sweeps have no mode in common or an inference sweep has no batch column, NoSolutionError if
// no mode is within the budget, and UsageError without an inference sweep.
std::vector<LiveMode> live_modes(std::span<const Sweep> inference, std::span<const Sweep> training,
                                 double max_power_w);

// A mode and how to use it.
struct LivePlan {
  std::size_t mode = 0;      // index into the LiveModes
  std::vector<int> batches;  // per program: maximum number of requests to collect
  bool trains = false;
  bool operator==(const LivePlan&) const = default;
};

}  // namespace ridgewatt::schedule
