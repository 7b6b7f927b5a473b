// What a planner does that knows every arrival, with one plan a window, the best of the first of a
// ranking: the measure of re-planning.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/schedule/plan_book.h"

namespace ridgewatt {

struct OracleWindow {
  bool feasible = false;   // some plan keeps the bound on p99
  double training_hz = 0;  // of the plan that trains most and keeps it
  // Arrivals that the window's plan did not serve, by the clock of the next one; not told of a
  // feasible window that began with an empty queue.
  std::vector<double> left_behind;
};

// The windows of `simulation.window_s`: one plan each, out of all `candidates`, chosen by
// simulating the arrivals of the window, with modes changed for free. A window begins with an empty
// queue; after one in which no plan keeps the bound with what its plan left behind, until that is
// served.
std::vector<OracleWindow> oracle_windows(std::span<const Candidate> candidates,
                                         const PlanProblem& problem,
                                         std::span<const double> arrivals,
                                         const SimulationOptions& simulation);

}  // namespace ridgewatt
