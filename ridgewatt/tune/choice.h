// Chooses the best predicted operating point without profiling, so limits are only met as far as
// the prediction is correct.
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
  std::optional<std::size_t> best;  // index of the point
  std::optional<std::size_t> miss;  // if there is none: the nearest to feasible
};

// The values that limits apply to: the means, or the upper ends of the intervals. To meet each
// limit with probability c, predict with an interval of 2 c - 1 and use the upper ends.
enum class Caution { kMeans, kUpperEnds };

// `costs` has one prediction per point. The objective is that of the means. Points whose objective
// is within the share `tie` of the lowest are equivalent within the accuracy of the prediction: the
// fastest of them is best. `slowdown_s`: empty, or one time per point for a slowdown limit; errors
// of a point and of the reference are correlated.
Choice choose(const Goal& goal, std::span<const OperatingPoint> points,
              std::span<const predict::Prediction> predictions, Caution caution = Caution::kMeans,
              double tie = 0, std::span<const double> slowdown_s = {});

// A quantity with mean `mean` whose logarithm has the error `error`.
predict::Estimate estimate_of(double mean, const twin::LogError& error,
                              double interval = predict::kDefaultInterval);

// Time, power and energy with their intervals, within what is possible.
predict::Prediction prediction_of(const twin::MinibatchCost& cost, const twin::EstimateError& error,
                                  double interval = predict::kDefaultInterval);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
