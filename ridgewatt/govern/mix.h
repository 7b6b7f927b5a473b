// Computes the time shares of modes so that a mean rate costs the least mean power, or a mean power
// gives the highest mean rate.
//
//   const RateHull hull({{0, idle_w}, {4, 12}, {9, 30}});   // rate (1/s) and power (W) of each
//   const auto mix = hull.at_rate(6);                       // 3/5 of the time at 4/s, 2/5 at 9/s
//
// Time shares x_i of options with rates r_i and powers p_i give the rate sum x_i r_i and the power
// sum x_i p_i. The least power at a rate is a linear program with two constraints, so two options
// are enough, and they are neighbors on the lower convex hull of the points (r_i, p_i). Idle and
// sleep are options of rate 0. Race to idle is the mix of idle and a fast mode; slow and steady is
// the mix of two modes near the rate. The hull shows which one is better.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ridgewatt::govern {

struct RatePower {
  double rate_hz = 0;  // of work: minibatches, samples, ..
  double power_w = 0;
};

// `high_share` of the time in option `high`, the rest in `low`, which has the lower rate. For a
// single option both are that option.
struct Mix {
  std::size_t low = 0, high = 0;
  double high_share = 0;
  double rate_hz = 0, power_w = 0;  // means
};

class RateHull {
 public:
  // Throws UsageError without options, or if a rate or power is negative or not finite.
  explicit RateHull(std::span<const RatePower> options);

  // Options on the hull, by rising rate.
  const std::vector<std::size_t>& corners() const { return corners_; }
  // The mix of least power with at least this mean rate; empty if no option is fast enough.
  std::optional<Mix> at_rate(double rate_hz) const;
  // The mix of the highest rate with at most this mean power; empty if every option draws more.
  std::optional<Mix> at_power(double power_w) const;
  double highest_rate_hz() const { return options_[corners_.back()].rate_hz; }

 private:
  Mix between(std::size_t low, std::size_t high, double high_share) const;

  std::vector<RatePower> options_;
  std::vector<std::size_t> corners_;
};

}  // namespace ridgewatt::govern
