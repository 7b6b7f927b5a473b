// Holds power against its limit while a program runs: says when to leave a mode, and how long and
// by how much the limit was exceeded in all.
#pragma once

#include <deque>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

class PowerGuard {
 public:
  PowerGuard(double limit_w, double average_s) : limit_w_(limit_w), average_s_(average_s) {}

  void add(const TimedPower& sample);
  // Samples before this say nothing of the mode that is set now.
  void mode_set(double time_s) { since_s_ = time_s; }
  // The mode must be left: power since it was set, averaged, is above the limit, or by 2 % above it
  // for half that time, by 4 % for a fifth, by 8 % in one sample.
  bool over() const;

  double over_s() const { return over_s_; }
  double longest_s() const { return longest_s_; }
  double worst_excess() const { return worst_excess_; }

 private:
  double mean_w(double since_s) const;

  double limit_w_, average_s_;
  std::deque<TimedPower>
      recent_;  // of the last average_s, one before it, and since the mode is set
  double since_s_ = 0;
  double over_s_ = 0, longest_s_ = 0, current_s_ = 0, worst_excess_ = 0;
};

}  // namespace ridgewatt::measure
