// The interface of all predictors: they learn from a few profiled operating points and predict any
// point.
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
  // Degrees of freedom, if the logarithm follows Student's t; 0: it is normal.
  double degrees = 0;
  // Standard deviation of the logarithm, if `hi` was cut at a physical maximum. 0: it follows from
  // `hi`.
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

// A measurement as a prediction without uncertainty: lo, mean and hi are equal.
Prediction exactly(const Observation& measured);
// Geometric mean of energy / (time x power) over the rows with a measured energy; 1 without such
// rows. It differs from 1 if time is not a mean. Predictors of time and power need it to predict
// energy.
double energy_ratio(std::span<const Observation> measured);
// One row per point, with the means of all its measurements; sorted by point.
std::vector<Observation> mean_by_point(std::span<const Observation> measured);
// The row of a point in `means`; null if it was not measured.
const Observation* find_point(std::span<const Observation> means, const OperatingPoint& point);
// Replaces the predictions of profiled points by the means of their measurements, for choosing
// among profiled and other points. predictions[i] must belong to points[i].
void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions);

// Details of the fit of the method `auto`.
struct AutoSummary {
  struct Candidate {
    std::string name;
    double time_weight = 0, power_weight = 0;  // posterior probability
  };
  std::vector<Candidate> candidates;
  std::size_t samples = 0;
  std::size_t part = 0;  // samples to which the parameters were fitted
  // Index of a sample that was probably disturbed and not used; empty: none.
  std::optional<std::size_t> disturbed = {};
};

// Power budgets from `least_w` to `most_w` in steps of `step_w`.
struct PowerBudgets {
  double least_w = 17, most_w = 50, step_w = 1;
  // Throws UsageError unless all values are positive, finite and ordered, with at most 10,000
  // budgets.
  std::vector<double> values_w() const;
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::string name() const = 0;
  // Learns from measured points. Throws UsageError if there are too few of them.
  virtual void fit(std::span<const Observation> samples) = 0;
  // One prediction per point, in the same order, always positive and finite. `interval` is the
  // probability that [lo, hi] contains the value, with equal probability below and above. To meet a
  // limit with probability c, use an interval of 2c - 1 and compare `hi`. Call fit() first.
  virtual std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                          double interval) const = 0;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points) const {
    return predict(points, kDefaultInterval);
  }
};

}  // namespace ridgewatt::predict

#pragma GCC visibility pop
