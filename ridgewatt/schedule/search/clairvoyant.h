// The training that is possible in a time window if its arrivals are known in advance. Every
// plan is simulated, so this is a lower bound of the optimum. training_bound.h gives an upper
// bound.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt::schedule {

struct ClairvoyantWindow {
  bool feasible = false;   // a plan was found whose p99 is within the latency bound
  double training_hz = 0;  // of the best such plan, in rounds per second
};

// Returns one entry per window of `simulation.window_s`. Each window begins with an empty queue and
// in the best mode for the plan. The tried plans are constant plans (the best of a ranking of all
// `candidates`) and plans that alternate between a mode that trains and a mode that serves,
// including the cost of the mode changes.
std::vector<ClairvoyantWindow> clairvoyant_windows(std::span<const Candidate> candidates,
                                                   const PlanProblem& problem,
                                                   std::span<const double> arrivals,
                                                   const SimulationOptions& simulation);

}  // namespace ridgewatt::schedule
