// The interface of predictors without intervals, which are the published baselines.
// ConformalPredictor adds intervals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::predict {

class MeanPredictor {
 public:
  virtual ~MeanPredictor() = default;
  virtual std::string name() const = 0;
  // Throws UsageError without samples.
  virtual void fit(std::span<const Observation> samples) = 0;
  // Time and power at each point, positive and finite. Call fit first.
  virtual std::vector<Observation> predict(std::span<const OperatingPoint> points) const = 0;
};

}  // namespace ridgewatt::predict
