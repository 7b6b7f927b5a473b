// What can be trained in a window by one who knows its arrivals: plans that were carried out in
// simulation, so the optimum is at least this. How far above it may be says training_bound.h.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt::schedule {

struct ClairvoyantWindow {
  bool feasible = false;   // a plan was found that keeps the bound on p99
  double training_hz = 0;  // of the best of them
};

// The windows of `simulation.window_s`, each beginning with an empty queue and in the mode that it
// wants. Tried are one plan for the whole window, the first of a ranking of all `candidates`, and
// going back and forth between a mode that trains and one that serves, which pays for every change.
std::vector<ClairvoyantWindow> clairvoyant_windows(std::span<const Candidate> candidates,
                                                   const PlanProblem& problem,
                                                   std::span<const double> arrivals,
                                                   const SimulationOptions& simulation);

}  // namespace ridgewatt::schedule
