// The best of predicted operating points: no profiling, so every limit is kept only as far as the
// prediction can be trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/tune/problem.h"
#include "ridgewatt/twin/estimate_error.h"

namespace ridgewatt::tune {

struct Choice {
  std::optional<std::size_t> best;  // index of the point
  std::optional<std::size_t> miss;  // without one: the nearest to feasible
};

// What limits are held against: the means, or the upper ends of the intervals. For limits that are
// each kept with probability c, predict with an interval of 2 c - 1 and hold the upper ends.
enum class Caution { kMeans, kUpperEnds };

// One prediction per point. The objective is that of the means. Points whose objective is within
// the share `tie` of the least cannot be told apart by what predicted them: the fastest of them is
// best. `slowdown_s`: empty, or times, one per point, to hold against a slowdown limit in place of
// those: the errors of a point and of the reference have much in common.
Choice choose(const Goal& goal, std::span<const OperatingPoint> points,
              std::span<const predict::Prediction> predictions, Caution caution = Caution::kMeans,
              double tie = 0, std::span<const double> slowdown_s = {});

// A quantity around `mean` whose logarithm is off by `error`.
predict::Estimate estimate_of(double mean, const twin::LogError& error,
                              double interval = predict::kDefaultInterval);

}  // namespace ridgewatt::tune
