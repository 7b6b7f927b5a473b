#include "ridgewatt/predict/baselines/linear_predictor.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kInputs = kPointAxes.size();

struct Line {
  std::vector<double> coefficients;
  double deviation = 0;  // of the residuals
};

Line solve(const Eigen::MatrixXd& inputs, const Eigen::VectorXd& target) {
  const auto [solution, rank] = least_squares(inputs, target);
  const auto free = std::max<Eigen::Index>(1, inputs.rows() - rank);
  const double deviation =
      std::sqrt((inputs * solution - target).squaredNorm() / static_cast<double>(free));
  // With as many coefficients as samples nothing is left to judge by: say half the mean.
  const bool exact = inputs.rows() <= rank;
  return {{solution.data(), solution.data() + solution.size()},
          exact ? target.mean() / 2 : deviation};
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
  if (samples.empty()) throw UsageError("no samples to learn from");
  center_.assign(kInputs, 0);
  scale_.assign(kInputs, 0);
  for (std::size_t input = 0; input < kInputs; ++input) {
    std::vector<double> values;
    for (const auto& sample : samples)
      values.push_back(axis_value(sample.point, kPointAxes[input]));
    center_[input] = mean(values);
    // Of equal values the deviation can come out as the rounding of their mean.
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
  const Line time_fit = solve(inputs.leftCols(width), time);
  const Line energy_fit = solve(inputs, energy);
  time_ = time_fit.coefficients, time_deviation_ = time_fit.deviation;
  energy_ = energy_fit.coefficients, energy_deviation_ = energy_fit.deviation;
}

std::vector<Prediction> LinearPredictor::predict(std::span<const OperatingPoint> points,
                                                 double interval) const {
  if (time_.empty()) throw UsageError("predict before fit");
  const double z = normal_quantile(0.5 + interval / 2);
  const auto estimate = [z](double mean, double deviation, double least) {
    const double value = std::max(mean, least / 10);
    return Estimate{value, std::max(value - z * deviation, std::min(value, least) / 10),
                    value + z * deviation};
  };
  std::vector<Prediction> result;
  result.reserve(points.size());
  for (const auto& point : points) {
    std::vector<double> values = row(point);
    const Estimate time = estimate(dot(values, time_), time_deviation_, least_time_s_);
    values.push_back(time.mean);
    const Estimate energy = estimate(dot(values, energy_), energy_deviation_, least_energy_j_);
    const double share = std::hypot(energy_deviation_ / energy.mean, time_deviation_ / time.mean);
    const double power_w = energy.mean / time.mean / energy_ratio_;
    result.push_back({time, estimate(power_w, share * power_w, least_power_w_), energy});
  }
  return result;
}

}  // namespace ridgewatt::predict
