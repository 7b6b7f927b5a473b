// The interface of every predictor: from a few profiled operating points to all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

#pragma GCC visibility push(default)

namespace ridgewatt::predict {

// A predicted quantity with its predictive interval.
struct Estimate {
  double mean = 0;
  double lo = 0;
  double hi = 0;
  double degrees = 0;  // of freedom of Student's t that the logarithm follows; 0: normal
  // Its scale, where the value has a greatest one at which the upper end is cut; 0: by that end.
  double log_sd = 0;
};

// The predicted cost of an operating point, per minibatch.
struct Prediction {
  Estimate time_s;
  Estimate power_w;
  Estimate energy_j;
};

// Default probability that the interval of an Estimate contains the value.
inline constexpr double kDefaultInterval = 0.9;

// A measurement as a prediction without uncertainty.
Prediction exactly(const Observation& measured);
// Measured energy over time x power: the geometric mean of the rows that have an energy; 1 if none
// has. It differs from 1 if time is not a mean. Predictors of time and power use it to predict
// energy.
double energy_ratio(std::span<const Observation> measured);
// One row per point, the mean of all its measurements; sorted by point.
std::vector<Observation> mean_by_point(std::span<const Observation> measured);
// The row of that point in `means`; null: not measured.
const Observation* find_point(std::span<const Observation> means, const OperatingPoint& point);
// Replaces the predictions of profiled points by the means of their measurements, for choosing
// among profiled and other points. One prediction per point.
void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions);

// Details of the predictions of the method `auto`.
struct AutoSummary {
  struct Candidate {
    std::string name;
    double time_weight = 0, power_weight = 0;  // posterior probability
  };
  std::vector<Candidate> candidates;
  std::size_t samples = 0;
  std::size_t part = 0;  // number of samples that the parameters were fitted on; all, or fewer
  // The sample that was probably disturbed, so that nothing was learned from it.
  std::optional<std::size_t> disturbed = {};
};

// Budgets of power, from least to most in equal steps.
struct PowerBudgets {
  double least_w = 17, most_w = 50, step_w = 1;
  // Throws UsageError unless all are positive and finite, in order, and at most 10,000.
  std::vector<double> values_w() const;
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::string name() const = 0;
  // Learns from measured points. Throws UsageError if there are too few of them.
  virtual void fit(std::span<const Observation> samples) = 0;
  // One prediction per point, in order; always positive and finite. `interval` is the probability
  // that [lo, hi] contains the value, with half of the rest on either side: to meet a limit with
  // probability c, use 2c - 1 and compare `hi`. Call fit first.
  virtual std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                          double interval) const = 0;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points) const {
    return predict(points, kDefaultInterval);
  }
};

}  // namespace ridgewatt::predict

#pragma GCC visibility pop
