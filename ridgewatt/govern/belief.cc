#include "ridgewatt/govern/belief.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::govern {
namespace {

// After more observations than this, the value of a mode counts as known. A deviation of kJump
// standard deviations then means that conditions have changed.
constexpr std::size_t kKnownAfter = 2;
constexpr double kJump = 2.5;

}  // namespace

void BeliefOptions::check() const {
  require_option(day_sd >= 0 && day_sd < 2, "BeliefOptions::day_sd", day_sd, "0 to 2");
  require_option(day_s > 0 && std::isfinite(day_s), "BeliefOptions::day_s", day_s, "positive");
  require_option(window_sd >= 0 && window_sd < 1, "BeliefOptions::window_sd", window_sd, "0 to 1");
}

ModePrior twin_prior(std::span<const OperatingPoint> points, const tune::TwinView& view) {
  const tune::TwinDoubt doubt(points, view);
  const auto count = static_cast<Eigen::Index>(doubt.size());
  ModePrior prior;
  for (std::size_t i = 0; i < doubt.size(); ++i) prior.modelled.push_back(doubt.modelled(i));
  for (std::size_t quantity = 0; quantity < prior.covariance.size(); ++quantity) {
    prior.covariance[quantity].resize(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      for (Eigen::Index j = 0; j < count; ++j) {
        prior.covariance[quantity](i, j) =
            doubt.covariance(quantity, static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      }
    }
  }
  return prior;
}

ModePrior profiled_prior(std::span<const Observation> rows, double common_sd, double own_sd) {
  ModePrior prior;
  for (const auto& row : rows) {
    prior.modelled.push_back({row.time_s, row.energy_j() / row.time_s});
  }
  const auto count = static_cast<Eigen::Index>(rows.size());
  for (auto& covariance : prior.covariance) {
    covariance = Eigen::MatrixXd::Constant(count, count, common_sd * common_sd);
    covariance.diagonal().array() += own_sd * own_sd;
  }
  return prior;
}

ModeBelief::ModeBelief(ModePrior prior, const BeliefOptions& options)
    : options_(options), prior_(std::move(prior)), seen_(prior_.modelled.size(), 0) {
  options_.check();
  for (const auto& [time_s, power_w] : prior_.modelled) {
    if (!(time_s > 0 && power_w > 0) || !std::isfinite(time_s) || !std::isfinite(power_w)) {
      throw UsageError("the time and power of each mode must be positive and finite");
    }
  }
  const auto count = static_cast<Eigen::Index>(prior_.modelled.size());
  for (std::size_t quantity = 0; quantity < filters_.size(); ++quantity) {
    const auto& covariance = prior_.covariance[quantity];
    if (covariance.rows() != count || covariance.cols() != count) {
      throw UsageError("the covariance of the modes must have one row and one column per mode");
    }
    Filter& filter = filters_[quantity];
    filter.mean = Eigen::VectorXd::Zero(count + 1);
    filter.covariance = Eigen::MatrixXd::Zero(count + 1, count + 1);
    filter.covariance.topLeftCorner(count, count) = covariance;
    filter.covariance(count, count) = options_.day_sd * options_.day_sd;
  }
}

void ModeBelief::pass(double time_s) {
  if (!(time_s > 0)) return;
  const double fade = std::exp(-time_s / options_.day_s);
  for (Filter& filter : filters_) {
    const Eigen::Index day = filter.mean.size() - 1;
    filter.mean(day) *= fade;
    filter.covariance.row(day) *= fade;
    filter.covariance.col(day) *= fade;
    filter.covariance(day, day) += options_.day_sd * options_.day_sd * (1 - fade * fade);
  }
}

void ModeBelief::update(std::size_t quantity, std::size_t mode, double residual, double variance) {
  Filter& filter = filters_[quantity];
  const auto i = static_cast<Eigen::Index>(mode);
  const Eigen::Index day = filter.mean.size() - 1;
  const double innovation = residual - filter.mean(i) - filter.mean(day);
  const double expected = this->variance(quantity, mode) + variance;
  if (seen_[mode] > kKnownAfter && innovation * innovation > kJump * kJump * expected) {
    filter.covariance(day, day) += innovation * innovation - expected;
  }
  const Eigen::VectorXd shared = filter.covariance.col(i) + filter.covariance.col(day);
  const Eigen::VectorXd gain = shared / (shared(i) + shared(day) + variance);
  filter.mean += gain * innovation;
  filter.covariance -= gain * shared.transpose();
}

void ModeBelief::learn(std::size_t mode, const twin::TimePower& seen, double time_sd,
                       double power_sd) {
  ++seen_[mode];
  const auto learn = [&](std::size_t quantity, double value, double expected, double sd) {
    if (!(value > 0) || !std::isfinite(value)) return;
    update(quantity, mode, std::log(value / expected), window_variance(sd));
  };
  learn(twin::kTime, seen.time_s, modelled(mode).time_s, time_sd);
  learn(twin::kPower, seen.power_w, modelled(mode).power_w, power_sd);
}

double ModeBelief::surprise(std::size_t mode, const twin::TimePower& seen, double time_sd,
                            double power_sd) const {
  const twin::TimePower expected = now(mode);
  const auto deviations = [&](std::size_t quantity, double value, double median, double sd) {
    if (!(value > 0) || !std::isfinite(value)) return 0.0;
    return std::abs(std::log(value / median)) /
           std::sqrt(variance(quantity, mode) + window_variance(sd));
  };
  return std::max(deviations(twin::kTime, seen.time_s, expected.time_s, time_sd),
                  deviations(twin::kPower, seen.power_w, expected.power_w, power_sd));
}

twin::TimePower ModeBelief::later(std::size_t mode, double horizon_s) const {
  const double ratio = horizon_s / options_.day_s;
  // Mean decay of the common deviation over the horizon.
  const double left = ratio > 1e-9 ? (1 - std::exp(-ratio)) / ratio : 1;
  const auto factor = [&](const Filter& filter) {
    return std::exp(filter.mean(static_cast<Eigen::Index>(mode)) +
                    left * filter.mean(filter.mean.size() - 1));
  };
  return {modelled(mode).time_s * factor(filters_[twin::kTime]),
          modelled(mode).power_w * factor(filters_[twin::kPower])};
}

double ModeBelief::variance(std::size_t quantity, std::size_t mode) const {
  const auto& covariance = filters_[quantity].covariance;
  const auto i = static_cast<Eigen::Index>(mode);
  const Eigen::Index day = covariance.rows() - 1;
  return std::max(covariance(i, i) + covariance(day, day) + 2 * covariance(i, day), 0.0);
}

double ModeBelief::sd(std::size_t quantity, std::size_t mode) const {
  return std::sqrt(variance(quantity, mode));
}

double ModeBelief::gap_sd(std::size_t mode, std::size_t reference, double elasticity) const {
  const auto difference = [&](std::size_t quantity) {
    const auto& covariance = filters_[quantity].covariance;
    const auto i = static_cast<Eigen::Index>(mode), j = static_cast<Eigen::Index>(reference);
    return std::max(covariance(i, i) + covariance(j, j) - 2 * covariance(i, j), 0.0);
  };
  return std::sqrt(difference(twin::kPower) + elasticity * elasticity * difference(twin::kTime));
}

}  // namespace ridgewatt::govern
