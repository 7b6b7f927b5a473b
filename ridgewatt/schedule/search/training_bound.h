// Upper bound on the training in a time window of a trace for any schedule that serves 99 % of the
// window's requests in time and stays within the power budget. docs/methods/training_bound.md has
// the proof.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

struct TrainingBound {
  // False if, by this bound, no schedule can serve 99 % of the requests in time.
  bool possible = false;
  double training_hz = 0;  // rounds per second
};

// Returns one entry per window of `simulation.window_s`. Also uses duration_s, max_latency_s and
// mode_change_s of `simulation`. Modes are those of `candidates`. A mode may train if its training
// power is within `max_power_w`, and may serve with every batch whose power is within
// `max_power_w`. The bound assumes the minibatch times of the candidates, without jitter.
std::vector<TrainingBound> training_bounds(std::span<const Candidate> candidates,
                                           double max_power_w, std::span<const double> arrivals,
                                           const SimulationOptions& simulation);

}  // namespace ridgewatt::schedule
