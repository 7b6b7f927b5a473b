// Rows to compare an answer with: the board's own modes and, if every point is known, the optimum.
// A row is measured, replayed or estimated; an estimated row has an interval.
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

// How a point serves requests that arrive at the goal's rate.
struct Serving {
  double latency_s = 0;  // the worst latency of a request
  double most_hz = 0;    // the highest rate that it can serve
};

struct ComparedPoint {
  std::string name;  // "answer", "MAXN", "MODE_30W", "optimum of the sweep"
  OperatingPoint point;
  predict::Prediction cost;             // lo = mean = hi if measured
  Verdict verdict;                      // of the means
  double objective = 0;                 // per sample, SI
  std::string preset = {};              // name of the board's preset with this mode, if any
  std::optional<Serving> serving = {};  // if requests arrive
  std::vector<LimitStand> broken = {};  // the limits that the means violate
  std::string misses = {};              // the same in words
  std::vector<LimitConfidence> confidence = {};  // of each limit on estimated values
  std::optional<thermal::HoldAnswer> hold = {};  // with thermal constants

  bool feasible() const { return verdict.feasibility == Feasibility::kFeasible; }
};

ComparedPoint compared(const Goal& goal, std::string name, const Observation& seen);
ComparedPoint compared(const Goal& goal, std::string name, const OperatingPoint& point,
                       const predict::Prediction& cost);

// For a twin with a slowdown limit: `time_over_reference` is the time, with the interval of its
// ratio to the reference. The confidence of the point uses it.
void hold_against_reference(const Goal& goal, const predict::Estimate& time_over_reference,
                            ComparedPoint& point);

// A named mode of the board, for example a preset.
struct NamedMode {
  std::string name;
  PowerMode mode;
};

// The rows of `sweep` with the modes `names`, each at its best batch for the goal, and the optimum
// over all rows of the sweep. Modes that the sweep does not contain are left out.
std::vector<ComparedPoint> compare_with_sweep(const Goal& goal, const Sweep& sweep,
                                              const std::vector<NamedMode>& names);

// Removes rows under DVFS governors from `sweep`: their clocks vary, so they cannot be points of a
// search. Throws InputError if no other row remains.
std::vector<Observation> take_governed(Sweep& sweep);

// Each governor at its best batch for the goal, "governor schedutil".
std::vector<ComparedPoint> compare_with_governors(const Goal& goal,
                                                  const std::vector<Observation>& governed);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
