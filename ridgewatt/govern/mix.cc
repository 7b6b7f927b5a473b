#include "ridgewatt/govern/mix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt::govern {
namespace {

// True if b is on or above the line from a to c, where c has the higher rate.
bool above_chord(const RatePower& a, const RatePower& b, const RatePower& c) {
  return (b.power_w - a.power_w) * (c.rate_hz - a.rate_hz) >=
         (c.power_w - a.power_w) * (b.rate_hz - a.rate_hz);
}

}  // namespace

RateHull::RateHull(std::span<const RatePower> options) : options_(options.begin(), options.end()) {
  if (options_.empty()) throw UsageError("a mix of power modes needs at least one power mode");
  for (const auto& [rate_hz, power_w] : options_) {
    if (!(rate_hz >= 0 && power_w >= 0) || !std::isfinite(rate_hz) || !std::isfinite(power_w)) {
      throw UsageError("rates and powers of modes must be finite and not negative");
    }
  }
  std::vector<std::size_t> order(options_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    if (options_[a].rate_hz != options_[b].rate_hz)
      return options_[a].rate_hz < options_[b].rate_hz;
    return options_[a].power_w < options_[b].power_w;
  });
  // Andrew's monotone chain (1979), lower half.
  for (const std::size_t next : order) {
    if (!corners_.empty() && options_[corners_.back()].rate_hz == options_[next].rate_hz) continue;
    while (corners_.size() >= 2 && above_chord(options_[corners_[corners_.size() - 2]],
                                               options_[corners_.back()], options_[next])) {
      corners_.pop_back();
    }
    corners_.push_back(next);
  }
  // Drop corners for which a faster option needs no more power.
  while (corners_.size() >= 2 && options_[corners_[0]].power_w >= options_[corners_[1]].power_w) {
    corners_.erase(corners_.begin());
  }
}

Mix RateHull::between(std::size_t low, std::size_t high, double high_share) const {
  const auto& [low_rate, low_w] = options_[low];
  const auto& [high_rate, high_w] = options_[high];
  return {low, high, high_share, low_rate + high_share * (high_rate - low_rate),
          low_w + high_share * (high_w - low_w)};
}

std::optional<Mix> RateHull::at_rate(double rate_hz) const {
  if (!(rate_hz <= highest_rate_hz())) return std::nullopt;
  const auto at = std::find_if(corners_.begin(), corners_.end(), [&](std::size_t corner) {
    return options_[corner].rate_hz >= rate_hz;
  });
  if (at == corners_.begin()) return between(*at, *at, 1);
  const double low = options_[*(at - 1)].rate_hz, high = options_[*at].rate_hz;
  return between(*(at - 1), *at, (rate_hz - low) / (high - low));
}

std::optional<Mix> RateHull::at_power(double power_w) const {
  if (!(options_[corners_.front()].power_w <= power_w)) return std::nullopt;
  const auto at = std::find_if(corners_.begin(), corners_.end(), [&](std::size_t corner) {
    return options_[corner].power_w > power_w;
  });
  if (at == corners_.end()) return between(corners_.back(), corners_.back(), 1);
  const double low = options_[*(at - 1)].power_w, high = options_[*at].power_w;
  return between(*(at - 1), *at, (power_w - low) / (high - low));
}

}  // namespace ridgewatt::govern
