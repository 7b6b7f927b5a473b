// Chooses the best operating point from predictions, without profiling. Limits are met only if the
// predictions are correct.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/twin/minibatch_cost.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

struct Choice {
  std::optional<std::size_t> best;  // index of the best feasible point
  std::optional<std::size_t> miss;  // if there is no feasible point: index of the nearest miss
};

// The values that are compared with limits: the means, or the upper ends of the intervals. To meet
// each limit with probability c, predict with intervals of probability 2 c - 1 and use the upper
// ends.
enum class Caution { kMeans, kUpperEnds };

// `predictions` has one entry per point. The objective is computed from the means. Points whose
// objective is within the share `tie` of the lowest count as equal, and the fastest of them is the
// best. `slowdown_s`: empty, or one time per point that is compared with a slowdown limit instead
// of the predicted time, because the errors of a point and of the reference are correlated. Throws
// UsageError if `points` and `predictions` have different sizes.
Choice choose(const Goal& goal, std::span<const OperatingPoint> points,
              std::span<const predict::Prediction> predictions, Caution caution = Caution::kMeans,
              double tie = 0, std::span<const double> slowdown_s = {});

// Returns the estimate of a quantity with mean `mean` whose logarithm has the error `error`.
predict::Estimate estimate_of(double mean, const twin::LogError& error,
                              double interval = predict::kDefaultInterval);

// Returns time, power and energy with their intervals, cut at the physical limits
// (twin::bounded()).
predict::Prediction prediction_of(const twin::MinibatchCost& cost, const twin::EstimateError& error,
                                  double interval = predict::kDefaultInterval);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
