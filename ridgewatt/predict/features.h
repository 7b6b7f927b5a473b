// Converts operating points to the features of the few-shot predictor.
#pragma once

#include <Eigen/Core>
#include <span>

#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::predict {

// Columns of a feature matrix: natural logarithms of the four knobs and of the batch, relative to
// their largest values. A knob that is absent in the whole space is 0.
enum Feature { kLogCores, kLogCpu, kLogGpu, kLogMem, kLogBatch, kFeatures };
using FeatureMatrix = Eigen::Matrix<double, Eigen::Dynamic, kFeatures>;

// The largest value of every knob and of the batch, which is the origin of the features.
class FeatureSpace {
 public:
  FeatureSpace() = default;
  explicit FeatureSpace(std::span<const OperatingPoint> points);
  FeatureMatrix features(std::span<const OperatingPoint> points) const;
  bool operator==(const FeatureSpace& other) const { return top_ == other.top_; }

 private:
  Eigen::Matrix<double, 1, kFeatures> top_ = Eigen::Matrix<double, 1, kFeatures>::Zero();
};

}  // namespace ridgewatt::predict
