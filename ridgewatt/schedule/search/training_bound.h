// The most that any schedule can train in a window of a trace while 99 % of the window's requests
// are in time and the power budget holds: an upper bound, proven in docs/methods/training_bound.md.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

struct TrainingBound {
  // False when no schedule can have 99 % of the requests in time, by this bound.
  bool possible = false;
  double training_hz = 0;  // rounds per second
};

// One for each window of `simulation.window_s`; of `simulation` also duration_s, max_latency_s and
// mode_change_s count. Modes are those of `candidates`; a mode may train where its training power
// is within `max_power_w`, and serve with the batches whose power is. The bound holds for minibatch
// times as they are in the candidates (no jitter).
std::vector<TrainingBound> training_bounds(std::span<const Candidate> candidates,
                                           double max_power_w, std::span<const double> arrivals,
                                           const SimulationOptions& simulation);

}  // namespace ridgewatt::schedule
