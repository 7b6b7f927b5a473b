// Computes the time shares of several modes that give a mean rate at the least mean power, or the
// highest mean rate at a mean power.
//
//   const RateHull hull({{0, idle_w}, {4, 12}, {9, 30}});   // rate (1/s) and power (W) of options
//   const auto mix = hull.at_rate(6);                       // 3/5 of the time at 4/s, 2/5 at 9/s
//
// Options with rates r_i, powers p_i and time shares x_i give the rate sum x_i r_i and the power
// sum x_i p_i. The least power at a rate is a linear program with two constraints. Therefore two
// options suffice, and they are neighbors on the lower convex hull of the points (r_i, p_i). Idle
// and sleep are options with rate 0. "Race to idle" is the mix of idle and a fast mode, "slow and
// steady" the mix of two modes near the rate; the hull shows which is better.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ridgewatt::govern {

// An option of a mix.
struct RatePower {
  double rate_hz = 0;  // of work, such as minibatches or samples
  double power_w = 0;
};

// Two options, as indices. Option `high` is used for the share `high_share` of the time, option
// `low`, with a lower rate, for the rest. For a single option, `low` and `high` are equal.
struct Mix {
  std::size_t low = 0, high = 0;
  double high_share = 0;
  double rate_hz = 0, power_w = 0;  // means over time
};

class RateHull {
 public:
  // Throws UsageError without options, or if a rate or power is negative or not finite.
  explicit RateHull(std::span<const RatePower> options);

  // Returns the options on the hull, in ascending order of rate.
  const std::vector<std::size_t>& corners() const { return corners_; }
  // Returns the mix of least power with at least this mean rate; absent if no option is fast
  // enough.
  std::optional<Mix> at_rate(double rate_hz) const;
  // Returns the mix of highest rate with at most this mean power; absent if every option needs more
  // power.
  std::optional<Mix> at_power(double power_w) const;
  double highest_rate_hz() const { return options_[corners_.back()].rate_hz; }

 private:
  Mix between(std::size_t low, std::size_t high, double high_share) const;

  std::vector<RatePower> options_;
  std::vector<std::size_t> corners_;
};

}  // namespace ridgewatt::govern
