// Points for comparison with an answer: modes of the board and, if every point is known, the
// optimum. A point is measured, replayed or estimated. Only an estimated point has an interval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/thermal/hold_answer.h"
#include "ridgewatt/tune/limits.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search_space.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

// Performance at a point for requests that arrive at the goal's rate.
struct Serving {
  double latency_s = 0;  // worst latency of a request
  double most_hz = 0;    // highest request rate that the point can serve
  // Energy of a request, with the idle time between minibatches. Absent: idle power is not known.
  std::optional<double> energy_j = {};
};

struct ComparedPoint {
  std::string name;  // "answer", "MAXN", "MODE_30W", "optimum of the sweep"
  OperatingPoint point;
  predict::Prediction cost;             // with lo = mean = hi if measured
  Verdict verdict;                      // from the means
  double objective = 0;                 // per sample, in SI units
  std::string preset = {};              // Name of the board's preset with this mode. Empty: none.
  std::optional<Serving> serving = {};  // only if the goal has a request rate
  std::vector<LimitStand> broken = {};  // the limits that the means violate
  std::string misses = {};              // `broken` as text
  std::vector<LimitConfidence> confidence = {};  // one entry per limit on estimated values
  std::optional<thermal::HoldAnswer> hold = {};  // only for a board with thermal constants

  bool feasible() const { return verdict.feasibility == Feasibility::kFeasible; }
};

ComparedPoint compared(const Goal& goal, std::string name, const Observation& seen);
ComparedPoint compared(const Goal& goal, std::string name, const OperatingPoint& point,
                       const predict::Prediction& cost);

// For a slowdown limit on estimates of a twin: recomputes the confidence of `point`.
// `time_over_reference` is the time of the point; its interval is relative to the reference, so it
// excludes errors that both points share.
void hold_against_reference(const Goal& goal, const predict::Estimate& time_over_reference,
                            ComparedPoint& point);

// A named mode of the board, for example a preset.
struct NamedMode {
  std::string name;
  PowerMode mode;
};

// Returns the modes `names`, each at its best batch for the goal, and the optimum over all rows of
// the sweep. Modes that the sweep does not contain are left out.
std::vector<ComparedPoint> compare_with_sweep(const Goal& goal, const Sweep& sweep,
                                              const std::vector<NamedMode>& names);

// Removes the rows under DVFS governors from `sweep` and returns them. Their clocks vary, so they
// cannot be points of a search. Throws InputError if no other row remains.
std::vector<Observation> take_governed(Sweep& sweep);

// Returns one row per governor at its best batch for the goal, with the name "governor schedutil".
std::vector<ComparedPoint> compare_with_governors(const Goal& goal,
                                                  const std::vector<Observation>& governed);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
