#include "ridgewatt/measure/in_place/drift.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::measure {
namespace {

// Share of an innovation (of time, of power) that counts as creep. It is larger for power, which
// follows the temperature of the board; the time of a minibatch hardly does.
constexpr std::array<double, 2> kFollowed = {0.2, 0.5};
constexpr double kLeastSpread = 0.005;  // relative, of a minibatch's time
// Variance of a median relative to that of a mean: pi / 2.
constexpr double kMedianEfficiency = 1.57;
constexpr double kLeastPowerError = 0.003;  // relative repeatability of a sensor

}  // namespace

// Uses the median time, since one minibatch that takes 1.5 times as long does not change it.
DriftTest::Seen DriftTest::seen(const InPlaceWindow& window) {
  spread_ += (std::max(window.spread, kLeastSpread) - spread_) / ++spreads_;
  const double time_error = spread_ * spread_ * kMedianEfficiency / std::max(window.minibatches, 1);
  const double power_error =
      std::max(window.energy_error > 0 ? window.energy_error / 4 : 0.0, kLeastPowerError);
  return {{std::log(window.median_s), std::log(window.power_w)},
          {time_error, power_error * power_error}};
}

DriftTest::Look DriftTest::look(const InPlaceWindow& window) {
  const Seen now = seen(window);
  const auto found = levels_.find(window.point.mode);
  if (found == levels_.end()) {
    Level level{now.log, now.variance};
    for (std::size_t q = 0; q < kQuantities; ++q) level.log[q] -= creep_[q];
    levels_[window.point.mode] = level;
    return {};
  }
  Level& level = found->second;
  const Pair creep_sd = {options_.time_creep, options_.power_creep};
  double worst = 0;
  Pair off{};
  for (std::size_t q = 0; q < kQuantities; ++q) {
    off[q] = now.log[q] - level.log[q] - creep_[q];
    const double deviation =
        std::sqrt(now.variance[q] + level.variance[q] + creep_sd[q] * creep_sd[q]);
    for (std::size_t side = 0; side < 2; ++side) {
      double& sum = sums_[side][q];
      sum += (side == 0 ? off[q] : -off[q]) / deviation - options_.allowance;
      sum = std::max(sum, 0.0);
      worst = std::max(worst, sum);
    }
  }
  if (worst > options_.doubt) {  // learn nothing from a window that may show drift
    for (std::size_t q = 0; q < kQuantities; ++q) doubted_[q] += off[q];
    ++doubts_;
    if (worst <= options_.alarm) return {Verdict::kDoubt, 1, 1};
    return {Verdict::kDrift, std::exp(doubted_[0] / doubts_), std::exp(doubted_[1] / doubts_)};
  }
  doubted_ = {};
  doubts_ = 0;
  for (std::size_t q = 0; q < kQuantities; ++q) {
    creep_[q] += kFollowed[q] * off[q];
    // The rest updates the level, weighted by the inverse variances.
    const double known = 1 / level.variance[q], fresh = 1 / now.variance[q];
    level.log[q] += (1 - kFollowed[q]) * off[q] * fresh / (known + fresh);
    level.variance[q] = std::max(1 / (known + fresh), creep_sd[q] * creep_sd[q] / 4);
  }
  return {};
}

void DriftTest::forget() {
  levels_.clear();
  creep_ = {};
  sums_ = {};
  doubted_ = {};
  doubts_ = 0;
}

void DriftTest::restart(const InPlaceWindow& window) {
  forget();
  const Seen now = seen(window);
  levels_[window.point.mode] = {now.log, now.variance};
}

std::optional<double> DriftTest::power_w(const PowerMode& mode) const {
  const auto found = levels_.find(mode);
  if (found == levels_.end()) return std::nullopt;
  return std::exp(found->second.log[1] + creep_[1]);
}

}  // namespace ridgewatt::measure
