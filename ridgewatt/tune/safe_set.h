// The operating points that a search can run with little risk of exceeding the power limit,
// predicted from the measurements so far. The set starts with one safe point and grows by
// measurements at its edge (safe exploration, Sui et al. 2015).
//
//   SafeSet safe(space, prior, {.limit_w = 30});
//   safe.start();                          // the first point to measure
//   safe.observe(point, time_s, power_w);  // also for points over the limit
//   safe.allowed();                        // one flag per point
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {

struct SafeSetOptions {
  double limit_w = std::numeric_limits<double>::infinity();
  double noise = 0.01;  // relative standard deviation of a measurement
  // A point is safe if its predicted power plus this number of standard deviations is at most limit
  // * (1 + tolerance). The search leaves a point above the limit immediately, so a small excess
  // does no harm.
  double deviations = 0.9;
  double early_deviations = 2;  // additional deviations / number of measurements
  double tolerance = 0.05;
  // Lower bound of the standard deviation, because the model underestimates it far from
  // measurements.
  double least_deviation = 0.02;
  // The predicted power may exceed the highest measured power within the limit by at most this
  // factor.
  double largest_step = 3;
};

class SafeSet {
 public:
  // `space` must outlive this object.
  SafeSet(const SearchSpace& space, std::shared_ptr<const SurrogatePrior> prior,
          SafeSetOptions options);

  // The point with every knob at its lowest level and the smallest batch.
  std::size_t start() const { return start_; }
  void observe(std::size_t point, double time_s, double power_w);
  // For a mode that was left before a minibatch ended, so that the time is unknown.
  void observe_power(std::size_t point, double power_w);
  // Removes the last `count` observations.
  void forget_last(int count);
  // Multiplies times and powers of all observations by these factors.
  void scale(double time_factor, double power_factor);
  // One flag per point. All points if the limit is infinite. Before the first observation, only the
  // start.
  std::vector<char> allowed();
  // Returns the allowed unmeasured point with the best predicted objective, or the start before the
  // first observation. Measuring the point extends the set. Empty if there is no such point.
  std::optional<std::size_t> next(const Goal& goal);

 private:
  struct Seen {
    std::size_t point = 0;
    double time_s = 0, power_w = 0;
  };

  Beliefs beliefs() const;

  const SearchSpace& space_;
  std::shared_ptr<const SurrogatePrior> prior_;
  SafeSetOptions options_;
  std::size_t start_ = 0;
  std::vector<Seen> seen_;
};

}  // namespace ridgewatt::tune
