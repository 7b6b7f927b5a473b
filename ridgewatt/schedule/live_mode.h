// What a schedule of several programs plans with: what each power mode does for all of them, and a
// plan among these.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::schedule {

// An inference program of a live schedule.
struct LiveProgram {
  std::string name;          // that its worker says in `hello`; empty: any
  double max_latency_s = 0;  // from a request's arrival to the end of its minibatch
  double rate_hz = 0;        // planned for before anything arrived
};

// One power mode.
struct LiveMode {
  PowerMode mode;
  std::vector<std::vector<Minibatch>> batches;  // of each program, ascending, none empty
  std::optional<Round> training;                // several trainings take turns
  // The smallest known batch of a program that holds `count` requests, or its largest.
  const Minibatch& padded(std::size_t program, std::size_t count) const;
};

// The modes that all sweeps share, with what of them is within the power budget: a mode keeps the
// batches that it may run, and is left out when a program has none; its training is left out when
// it draws too much. Of several batches of a training the largest counts. Throws InputError when
// the sweeps share no mode or an inference has no batch column, NoSolutionError when no mode is
// within the budget, UsageError without an inference.
std::vector<LiveMode> live_modes(std::span<const Sweep> inference, std::span<const Sweep> training,
                                 double max_power_w);

struct LivePlan {
  std::size_t mode = 0;      // index of a LiveMode
  std::vector<int> batches;  // of each program: how many requests gather at most
  bool trains = false;
  bool operator==(const LivePlan&) const = default;
};

}  // namespace ridgewatt::schedule
