#include "ridgewatt/predict/conformal_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/unvaried.h"

namespace ridgewatt::predict {
namespace {

// Rank (from 1) of the error that bounds the interval. Products such as 10 x 0.9 are not exact.
std::size_t bounding_rank(std::size_t points, double interval) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(points + 1) * interval - 1e-9));
}

double bound(const std::vector<double>& errors, double interval) {
  const std::size_t rank = bounding_rank(errors.size(), interval);
  return rank > errors.size() ? std::numeric_limits<double>::infinity() : errors[rank - 1];
}

// The fold of each point, in random order.
std::vector<std::size_t> draw_folds(std::size_t points, std::size_t folds, std::uint64_t seed) {
  std::vector<std::size_t> fold(points);
  const auto order = Random(seed).sample(points, points);
  for (std::size_t i = 0; i < points; ++i) fold[order[i]] = i % folds;
  return fold;
}

}  // namespace

std::size_t samples_for_interval(double interval) {
  return static_cast<std::size_t>(std::ceil(interval / (1 - interval) - 1e-9));
}

ConformalPredictor::Errors ConformalPredictor::error(const Observation& measured,
                                                     const Observation& predicted) const {
  const double time = std::log(measured.time_s / predicted.time_s);
  const double power = std::log(measured.power_w / predicted.power_w);
  const double energy = std::log(measured.energy_j() / predicted.energy_j() / energy_ratio_);
  return {std::abs(time), std::abs(power), std::abs(energy)};
}

void ConformalPredictor::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("the predictor needs at least one sample");
  energy_ratio_ = energy_ratio(samples);
  fixed_ = fixed_values(samples);
  const std::vector<Observation> means = mean_by_point(samples);
  const std::size_t folds = means.size() > 1 ? std::min(options_.folds, means.size()) : 0;
  const auto fold_of = draw_folds(means.size(), std::max<std::size_t>(folds, 1), options_.seed);
  std::vector<Errors> errors(means.size());
  const auto fit_without = [&](std::size_t fold) {
    std::vector<Observation> learned;
    std::vector<OperatingPoint> left_out;
    std::vector<std::size_t> rows;
    for (const auto& sample : samples) {
      const auto row = static_cast<std::size_t>(find_point(means, sample.point) - means.data());
      if (fold_of[row] != fold) learned.push_back(sample);
    }
    for (std::size_t row = 0; row < means.size(); ++row) {
      if (fold_of[row] == fold) left_out.push_back(means[row].point), rows.push_back(row);
    }
    const auto model = of_fold_();
    model->fit(learned);
    const auto predicted = model->predict(left_out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      errors[rows[i]] = error(means[rows[i]], predicted[i]);
    }
  };
  parallel_for(
      folds + 1, [&](std::size_t i) { i == 0 ? main_->fit(samples) : fit_without(i - 1); },
      options_.threads);
  time_.clear(), power_.clear(), energy_.clear();
  if (folds == 0) return;
  const double of_all = std::sqrt(1 - 1 / static_cast<double>(folds));
  for (const auto& one : errors) {
    time_.push_back(of_all * one.time);
    power_.push_back(of_all * one.power);
    energy_.push_back(of_all * one.energy);
  }
  for (auto* each : {&time_, &power_, &energy_}) std::ranges::sort(*each);
}

std::vector<Prediction> ConformalPredictor::predict(std::span<const OperatingPoint> points,
                                                    double interval) const {
  if (!(interval > 0 && interval < 1)) {
    throw UsageError("the probability of an interval must be between 0 and 1");
  }
  const double time = std::exp(bound(time_, interval)), power = std::exp(bound(power_, interval)),
               energy = std::exp(bound(energy_, interval));
  const auto costs = main_->predict(points);
  std::vector<Prediction> result;
  result.reserve(points.size());
  for (const auto& cost : costs) {
    const UnvariedEffect effect = unvaried_effect(fixed_, cost.point);
    const auto estimate = [](double mean, double factor, double lo, double hi) {
      return Estimate{mean, mean / factor * lo, mean * factor * hi};
    };
    result.push_back(
        {estimate(cost.time_s, time, effect.time_lo, effect.time_hi),
         estimate(cost.power_w, power, effect.power_lo, effect.power_hi),
         estimate(cost.time_s * cost.power_w * energy_ratio_, energy,
                  effect.time_lo * effect.power_lo, effect.time_hi * effect.power_hi)});
  }
  return result;
}

}  // namespace ridgewatt::predict
