// From few profiled operating points to all of them: the interface of every predictor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::predict {

// A predicted quantity with its predictive interval.
struct Estimate {
  double mean = 0;
  double lo = 0;
  double hi = 0;
  double degrees = 0;  // of freedom of Student's t that the logarithm follows; 0: normal
};

// What one operating point will cost, per minibatch.
struct Prediction {
  Estimate time_s;
  Estimate power_w;
  Estimate energy_j;
};

// Probability that the interval of an Estimate holds the value, unless another is asked for.
inline constexpr double kDefaultInterval = 0.9;

// What was measured, as a prediction that is certain.
Prediction exactly(const Observation& measured);
// Measured energy over time x power, the geometric mean of the rows that have one; 1 without any.
// It differs from 1 where time is not a mean. What predicts time and power predicts energy with it.
double energy_ratio(std::span<const Observation> measured);
// One row per point, the mean of all that were measured there; sorted by point.
std::vector<Observation> mean_by_point(std::span<const Observation> measured);
// Points that were profiled cost what was measured there on average, not what a model makes of it:
// for choosing among points, profiled and not. One prediction per point.
void use_measured(std::span<const OperatingPoint> points, std::span<const Observation> measured,
                  std::span<Prediction> predictions);

class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::string name() const = 0;
  // Learns from measured points. Throws UsageError when there are too few of them to say anything.
  virtual void fit(std::span<const Observation> samples) = 0;
  // One prediction per point, in order; always positive and finite. `interval` is the probability
  // that [lo, hi] holds the value, half of the rest on either side: for a limit that is to hold
  // with probability c, ask for 2c - 1 and compare `hi`. Call fit first.
  virtual std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                          double interval) const = 0;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points) const {
    return predict(points, kDefaultInterval);
  }
};

}  // namespace ridgewatt::predict
