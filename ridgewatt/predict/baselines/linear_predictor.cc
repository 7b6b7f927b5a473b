#include "ridgewatt/predict/baselines/linear_predictor.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kInputs = kPointAxes.size();

std::vector<double> solve(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& target) {
  const Eigen::VectorXd solution = least_squares(inputs, target).x;
  return {solution.data(), solution.data() + solution.size()};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> LinearPredictor::row(const OperatingPoint& point) const {
  std::vector<double> values = {1};
  for (std::size_t input = 0; input < kInputs; ++input) {
    if (scale_[input] > 0) {
      values.push_back((axis_value(point, kPointAxes[input]) - center_[input]) / scale_[input]);
    }
  }
  return values;
}

void LinearPredictor::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("the predictor needs at least one sample");
  center_.assign(kInputs, 0);
  scale_.assign(kInputs, 0);
  for (std::size_t input = 0; input < kInputs; ++input) {
    std::vector<double> values;
    for (const auto& sample : samples)
      values.push_back(axis_value(sample.point, kPointAxes[input]));
    center_[input] = mean(values);
    // For equal values, the deviation may be the rounding error of their mean.
    const bool fixed = std::equal(values.begin() + 1, values.end(), values.begin());
    scale_[input] = fixed ? 0 : standard_deviation(values);
  }
  const auto n = static_cast<Eigen::Index>(samples.size());
  const auto width = static_cast<Eigen::Index>(row(samples[0].point).size());
  Eigen::MatrixXd inputs(n, width + 1);
  Eigen::VectorXd time(n), energy(n);
  energy_ratio_ = energy_ratio(samples);
  least_time_s_ = samples[0].time_s, least_energy_j_ = samples[0].energy_j();
  least_power_w_ = samples[0].power_w;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& sample = samples[static_cast<std::size_t>(i)];
    const std::vector<double> values = row(sample.point);
    for (Eigen::Index j = 0; j < width; ++j) inputs(i, j) = values[static_cast<std::size_t>(j)];
    inputs(i, width) = sample.time_s;
    time[i] = sample.time_s;
    energy[i] = sample.energy_j();
    least_time_s_ = std::min(least_time_s_, sample.time_s);
    least_energy_j_ = std::min(least_energy_j_, sample.energy_j());
    least_power_w_ = std::min(least_power_w_, sample.power_w);
  }
  time_ = solve(inputs.leftCols(width), time);
  energy_ = solve(inputs, energy);
}

std::vector<Observation> LinearPredictor::predict(std::span<const OperatingPoint> points) const {
  if (time_.empty()) throw UsageError("the predictor must be fitted to samples before it predicts");
  std::vector<Observation> result;
  result.reserve(points.size());
  for (const auto& point : points) {
    std::vector<double> values = row(point);
    const double time_s = std::max(dot(values, time_), least_time_s_ / 10);
    values.push_back(time_s);
    const double energy_j = std::max(dot(values, energy_), least_energy_j_ / 10);
    const double power_w = energy_j / time_s / energy_ratio_;
    result.push_back({point, time_s, std::max(power_w, least_power_w_ / 10)});
  }
  return result;
}

}  // namespace ridgewatt::predict
