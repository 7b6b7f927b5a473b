// The operating points that may be run while a search looks for the best one: those that probably
// stay within the power limit according to the measurements so far. The set begins with one safe
// point and grows as its edge is measured (safe exploration, Sui et al. 2015).
//
//   SafeSet safe(space, prior, {.limit_w = 30});
//   safe.start();                          // the point to begin with
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
  double noise = 0.01;  // relative deviation of a measurement
  // A point is safe if its believed power plus this number of deviations is at most the limit plus
  // the tolerance. A point over the limit is left at once, so a small excess is harmless.
  double deviations = 0.9;
  double early_deviations = 2;  // additional deviations, divided by the number of points seen
  double tolerance = 0.05;
  // Far from all measurements the belief is too certain: deviations are at least this.
  double least_deviation = 0.02;
  // The believed power may rise by at most this factor from one step to the next.
  double largest_step = 3;
};

class SafeSet {
 public:
  // `space` must outlive this.
  SafeSet(const SearchSpace& space, std::shared_ptr<const SurrogatePrior> prior,
          SafeSetOptions options);

  // Every knob at its lowest level, at the smallest batch.
  std::size_t start() const { return start_; }
  void observe(std::size_t point, double time_s, double power_w);
  // Only the power is known: the mode was left before a minibatch ended.
  void observe_power(std::size_t point, double power_w);
  // Discards the last `count` observations.
  void forget_last(int count);
  // Scales the powers of all observations by this factor.
  void scale(double time_factor, double power_factor);
  // With an infinite limit all points. Before the first observation only the start.
  std::vector<char> allowed();
  // The next point from the start: the allowed point that was not seen and has the best believed
  // objective. It lies at the edge and extends it. Empty if there is none.
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
