#include "ridgewatt/predict/baselines/gp_predictor.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {
namespace {

static_assert(kPointAxes.size() <= kFeatures);

// Priors for standardized inputs and targets. Chosen before any score was computed.
GaussianProcessOptions options() {
  GaussianProcessOptions options;
  options.signal = 0, options.signal_spread = 1;
  options.length.setConstant(std::log(2)), options.length_spread = 1;
  options.noise = std::log(0.05), options.noise_spread = 1;
  options.reweightings = 0;  // normal noise
  return options;
}

double log_of_axis(const OperatingPoint& point, std::size_t axis) {
  return std::log(std::max(axis_value(point, kPointAxes[axis]), 1.0));
}

}  // namespace

FeatureMatrix GpPredictor::inputs_of(std::span<const OperatingPoint> points) const {
  FeatureMatrix inputs = FeatureMatrix::Zero(static_cast<Eigen::Index>(points.size()), kFeatures);
  for (std::size_t axis = 0; axis < scale_.size(); ++axis) {
    if (!(scale_[axis] > 0)) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      inputs(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis)) =
          (log_of_axis(points[i], axis) - center_[axis]) / scale_[axis];
    }
  }
  return inputs;
}

void GpPredictor::Quantity::fit(const FeatureMatrix& inputs, Eigen::VectorXd logs) {
  center = logs.mean();
  logs.array() -= center;
  const double deviation = std::sqrt(logs.squaredNorm() / static_cast<double>(logs.size()));
  scale = deviation > 0 ? deviation : 1;
  process = GaussianProcess(options());
  const Eigen::VectorXd none;  // the constant mean is subtracted from the logarithms
  process.fit(inputs, logs / scale, Eigen::MatrixXd(inputs.rows(), 0), none, none);
}

Eigen::VectorXd GpPredictor::Quantity::predict(const FeatureMatrix& inputs) const {
  Eigen::VectorXd mean, variance;
  process.predict(inputs, Eigen::MatrixXd(inputs.rows(), 0), mean, variance);
  return (center + scale * mean.array()).exp();
}

void GpPredictor::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("the predictor needs at least one sample");
  center_.assign(kPointAxes.size(), 0);
  scale_.assign(kPointAxes.size(), 0);
  std::vector<OperatingPoint> points;
  Eigen::VectorXd time(static_cast<Eigen::Index>(samples.size())), power(time.size());
  for (const auto& sample : samples) {
    const auto i = static_cast<Eigen::Index>(points.size());
    points.push_back(sample.point);
    time[i] = std::log(sample.time_s);
    power[i] = std::log(sample.power_w);
  }
  for (std::size_t axis = 0; axis < scale_.size(); ++axis) {
    std::vector<double> values;
    for (const auto& point : points) values.push_back(log_of_axis(point, axis));
    center_[axis] = mean(values);
    const bool fixed = std::equal(values.begin() + 1, values.end(), values.begin());
    scale_[axis] = fixed ? 0 : standard_deviation(values);
  }
  const FeatureMatrix inputs = inputs_of(points);
  time_.fit(inputs, time);
  power_.fit(inputs, power);
}

std::vector<Observation> GpPredictor::predict(std::span<const OperatingPoint> points) const {
  if (scale_.empty())
    throw UsageError("the predictor must be fitted to samples before it predicts");
  const FeatureMatrix inputs = inputs_of(points);
  const Eigen::VectorXd time_s = time_.predict(inputs), power_w = power_.predict(inputs);
  std::vector<Observation> result;
  result.reserve(points.size());
  for (Eigen::Index i = 0; i < time_s.size(); ++i) {
    result.push_back({points[static_cast<std::size_t>(i)], time_s[i], power_w[i]});
  }
  return result;
}

}  // namespace ridgewatt::predict
