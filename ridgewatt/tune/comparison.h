// What an answer is set against: the board's own modes and, where every point is known, the
// optimum. A row is measured, replayed or estimated; then it has an interval.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

struct ComparedPoint {
  std::string name;  // "answer", "MAXN", "MODE_30W", "optimum of the sweep"
  OperatingPoint point;
  predict::Prediction cost;  // lo = mean = hi when measured
  Verdict verdict;           // of the means
  double objective = 0;      // per sample, SI
  std::string preset = {};   // name of the board's preset with this mode, where one has it
  // Of a twin, with a slowdown limit: the time, its ends those of its ratio to the reference's.
  std::optional<predict::Estimate> time_over_reference = {};
};

ComparedPoint compared(const Goal& goal, std::string name, const Observation& seen);
ComparedPoint compared(const Goal& goal, std::string name, const OperatingPoint& point,
                       const predict::Prediction& cost);

// A named mode of the board, for example a preset.
struct NamedMode {
  std::string name;
  PowerMode mode;
};

// The rows of `sweep` that `names` speak of, each at its best batch for the goal, and the optimum
// over all rows of the sweep. Modes that the sweep does not hold are left out.
std::vector<ComparedPoint> compare_with_sweep(const Goal& goal, const Sweep& sweep,
                                              const std::vector<NamedMode>& names);

// Rows under DVFS governors: their clocks wander, so they are no points of a search. Taken out of
// `sweep`; InputError when no other row is left.
std::vector<Observation> take_governed(Sweep& sweep);

// Each governor at its best batch for the goal, "governor schedutil".
std::vector<ComparedPoint> compare_with_governors(const Goal& goal,
                                                  const std::vector<Observation>& governed);

}  // namespace ridgewatt::tune
