#include "ridgewatt/tune/safe_set.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::tune {

SafeSet::SafeSet(const SearchSpace& space, std::shared_ptr<const SurrogatePrior> prior,
                 SafeSetOptions options)
    : space_(space), prior_(std::move(prior)), options_(options) {
  start_ = space.nearest(SearchSpace::Position{}).value();
}

void SafeSet::observe(std::size_t point, double time_s, double power_w) {
  seen_.push_back({point, time_s, power_w});
}

void SafeSet::observe_power(std::size_t point, double power_w) {
  seen_.push_back({point, 0, power_w});
}

void SafeSet::forget_last(int count) {
  const auto most = static_cast<int>(seen_.size());
  seen_.resize(static_cast<std::size_t>(most - std::clamp(count, 0, most)));
}

void SafeSet::scale(double time_factor, double power_factor) {
  for (auto& one : seen_) one.time_s *= time_factor, one.power_w *= power_factor;
}

Beliefs SafeSet::beliefs() const {
  Surrogate surrogate(*prior_, options_.noise);
  for (const auto& one : seen_) {
    // The safe set depends on power only, so an unknown time may have any value.
    surrogate.observe(one.point, one.time_s > 0 ? one.time_s : seen_.front().time_s, one.power_w);
  }
  Beliefs beliefs;
  surrogate.predict(beliefs);
  return beliefs;
}

std::vector<char> SafeSet::allowed() {
  if (!std::isfinite(options_.limit_w)) return std::vector<char>(space_.size(), 1);
  std::vector<char> flags(space_.size(), 0);
  flags[start_] = 1;
  if (seen_.empty()) return flags;
  double most_w = 0;
  for (const auto& one : seen_) {
    if (one.power_w <= options_.limit_w) most_w = std::max(most_w, one.power_w);
  }
  const Beliefs believed = beliefs();
  const double bound = std::log(options_.limit_w * (1 + options_.tolerance));
  const double step = most_w > 0 ? std::log(most_w * options_.largest_step) : bound;
  const double deviations =
      options_.deviations + options_.early_deviations / static_cast<double>(seen_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const double deviation = std::max<double>(believed.power_sd[i], options_.least_deviation);
    const double mean = believed.power_mean[i];
    if (mean + deviations * deviation <= bound && mean <= step) flags[i] = 1;
  }
  // For a measured point, the measurement decides.
  for (const auto& one : seen_) flags[one.point] = one.power_w <= options_.limit_w ? 1 : 0;
  return flags;
}

std::optional<std::size_t> SafeSet::next(const Goal& goal) {
  if (seen_.empty()) return start_;
  auto flags = allowed();
  for (const auto& one : seen_) flags[one.point] = 0;
  const Beliefs believed = beliefs();
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (flags[i] == 0) continue;
    const double value = objective_value(goal, space_[i], std::exp(believed.time_mean[i]),
                                         std::exp(believed.power_mean[i]));
    if (!best || value < least) best = i, least = value;
  }
  return best;
}

}  // namespace ridgewatt::tune
