// Which operating points may be run while a search looks for the best one: those that are believed
// to keep the power limit, from what was measured so far. It begins with one safe point and grows
// as its edge is measured (safe exploration, Sui et al. 2015).
//
//   SafeSet safe(space, prior, {.limit_w = 30});
//   safe.start();                          // the point to begin with
//   safe.observe(point, time_s, power_w);  // also of what was over the limit
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
  // A point is safe when so many deviations above what is believed are not more than the
  // tolerance above the limit: what is above it is left at once, so that little of it is no harm.
  double deviations = 0.9;
  double early_deviations = 2;  // more of them, divided by the number of points seen
  double tolerance = 0.05;
  // What is far from everything measured is believed too surely: deviations are at least this.
  double least_deviation = 0.02;
  // From one step to the next the believed power may rise by this factor at most.
  double largest_step = 3;
};

class SafeSet {
 public:
  // `space` must outlive this.
  SafeSet(const SearchSpace& space, std::shared_ptr<const SurrogatePrior> prior,
          SafeSetOptions options);

  // Where every knob is lowest; at the smallest batch.
  std::size_t start() const { return start_; }
  void observe(std::size_t point, double time_s, double power_w);
  // Only its power is known: the mode was left before a minibatch ended.
  void observe_power(std::size_t point, double power_w);
  // As if the last so many had not been seen.
  void forget_last(int count);
  // The powers of all that was seen are others by this factor.
  void scale(double time_factor, double power_factor);
  // With a limit that is infinite all points. Before anything was seen the start alone.
  std::vector<char> allowed();
  // Where to go on from the start: of the points that are allowed and were not seen the one with
  // the best objective by what is believed. It lies at the edge, and moves it. Nothing when there
  // is none.
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
