#include "ridgewatt/predict/features.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {
namespace {

static_assert(kFeatures == kPointAxes.size() && kLogBatch == static_cast<int>(PointAxis::kBatch));

double value_of(const OperatingPoint& point, int feature) {
  return axis_value(point, kPointAxes[static_cast<std::size_t>(feature)]);
}

}  // namespace

FeatureSpace::FeatureSpace(std::span<const OperatingPoint> points) {
  for (const auto& point : points) {
    for (int f = 0; f < kFeatures; ++f) top_[f] = std::max(top_[f], value_of(point, f));
  }
}

FeatureMatrix FeatureSpace::features(std::span<const OperatingPoint> points) const {
  FeatureMatrix result = FeatureMatrix::Zero(static_cast<Eigen::Index>(points.size()), kFeatures);
  for (std::size_t row = 0; row < points.size(); ++row) {
    for (int f = 0; f < kFeatures; ++f) {
      const double value = value_of(points[row], f);
      if (value > 0 && top_[f] > 0) {
        result(static_cast<Eigen::Index>(row), f) = std::log(value / top_[f]);
      }
    }
  }
  return result;
}

}  // namespace ridgewatt::predict
