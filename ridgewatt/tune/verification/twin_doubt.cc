#include "ridgewatt/tune/twin_doubt.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::tune {
namespace {

constexpr std::uint64_t kDrawSeed = 7;

// Standard deviations of ln(measured / modelled), and the distance in the logarithm of a knob over
// which the smooth part fades.
struct ResidualForm {
  double smooth_sd, fade, own_sd;
};
constexpr std::array<ResidualForm, 2> kForms = {{{0.06, 0.3, 0.03}, {0.06, 0.6, 0.03}}};

std::vector<twin::Twin> drawn_twins(const twin::Twin& twin) {
  Random random(kDrawSeed);
  std::vector<twin::Twin> drawn(TwinDoubt::kDrawnTwins, twin);
  for (auto& one : drawn) {
    for (double& value : one.values)
      value *= std::exp(TwinDoubt::kWorkloadSpread * random.normal());
  }
  return drawn;
}

std::array<double, 2> logarithms(const twin::TimePower& cost) {
  return {std::log(cost.time_s), std::log(cost.power_w)};
}

}  // namespace

TwinDoubt::TwinDoubt(std::span<const OperatingPoint> points, const TwinView& view, double noise)
    : noise_(noise),
      common_sd_(view.common_sd),
      modelled_(view.modelled(view.twin, points)),
      places_(kPointAxes.size(), points.size()) {
  if (modelled_.size() != points.size())
    throw UsageError("the twin must give one estimate per point");
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < kPointAxes.size(); ++axis) {
      const double value = axis_value(points[i], kPointAxes[axis]);
      places_(axis, i) = value > 0 ? std::log(value) : 0;
    }
  }
  for (auto& deviations : deviations_) deviations.resize(kDrawnTwins, points.size());
  const auto twins = drawn_twins(view.twin);
  parallel_for(twins.size(), [&](std::size_t k) {
    const auto costs = view.modelled(twins[k], points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto logs = logarithms(costs[i]);
      for (std::size_t q = 0; q < logs.size(); ++q) deviations_[q](k, i) = logs[q];
    }
  });
  for (auto& deviations : deviations_) {
    deviations.rowwise() -= deviations.colwise().mean().eval();
    deviations /= std::sqrt(static_cast<double>(kDrawnTwins - 1));
  }
}

double TwinDoubt::covariance(std::size_t quantity, std::size_t a, std::size_t b) const {
  const ResidualForm& form = kForms[quantity];
  const double apart = (places_.col(a) - places_.col(b)).squaredNorm();
  const double smooth =
      std::pow(form.smooth_sd, 2) * std::exp(-0.5 * apart / std::pow(form.fade, 2));
  const double own = a == b ? std::pow(form.own_sd, 2) : 0;
  return std::pow(common_sd_[quantity], 2) + smooth + own +
         deviations_[quantity].col(a).dot(deviations_[quantity].col(b));
}

void TwinDoubt::learn(std::size_t point, const Observation& seen) {
  const auto measured = logarithms({seen.time_s, seen.energy_j() / seen.time_s});
  const auto expected = logarithms(modelled_[point]);
  if (!std::isfinite(measured[0]) || !std::isfinite(measured[1])) {
    throw UsageError("the time and power of a profile must be positive");
  }
  learned_.push_back(point);
  const auto count = static_cast<Eigen::Index>(learned_.size());
  for (std::size_t q = 0; q < residuals_.size(); ++q) {
    residuals_[q].push_back(measured[q] - expected[q]);
    Eigen::MatrixXd all(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      for (Eigen::Index j = 0; j < count; ++j) all(i, j) = covariance(q, learned_[i], learned_[j]);
      all(i, i) += noise_ * noise_ + 1e-10;
    }
    factors_[q].compute(all);
    weights_[q] = factors_[q].solve(Eigen::Map<const Eigen::VectorXd>(residuals_[q].data(), count));
  }
}

TwinDoubt::LogNormal TwinDoubt::believed(std::size_t quantity, std::size_t point,
                                         double modelled) const {
  const double prior = covariance(quantity, point, point);
  const auto count = static_cast<Eigen::Index>(learned_.size());
  if (count == 0) return {modelled, std::sqrt(prior)};
  Eigen::VectorXd shared(count);
  for (Eigen::Index i = 0; i < count; ++i) shared(i) = covariance(quantity, point, learned_[i]);
  const double known = shared.dot(factors_[quantity].solve(shared));
  return {modelled + shared.dot(weights_[quantity]), std::sqrt(std::max(prior - known, 0.0))};
}

TwinDoubt::Outcome TwinDoubt::at(std::size_t point) const {
  const auto logs = logarithms(modelled_[point]);
  return {believed(twin::kTime, point, logs[twin::kTime]),
          believed(twin::kPower, point, logs[twin::kPower])};
}

double TwinDoubt::ratio_sd(std::size_t point, std::size_t reference, std::size_t quantity) const {
  const double variance = covariance(quantity, point, point) +
                          covariance(quantity, reference, reference) -
                          2 * covariance(quantity, point, reference);
  return std::sqrt(std::max(variance, 0.0));
}

}  // namespace ridgewatt::tune
