// Compares power with its limit while a program runs: determines when to leave a mode, and the
// total time and amount by which the limit was exceeded.
#pragma once

#include <deque>
#include <optional>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

class PowerGuard {
 public:
  PowerGuard(double limit_w, double average_s) : limit_w_(limit_w), average_s_(average_s) {}

  void add(const TimedPower& sample);
  // Samples before `time_s` do not count for the mode that is set now.
  void mode_set(double time_s) { since_s_ = time_s; }
  // Whether the mode must be left. Since the mode was set, the mean power over average_s exceeded
  // the limit, or the mean over half of average_s exceeded it by 2 %, the mean over a fifth by 4 %,
  // or one sample by 8 %.
  bool over() const { return excess().has_value(); }

  // The time for which over() was true, from the beginning of the window that exceeded the limit.
  double over_s() const { return over_s_; }
  double longest_s() const { return longest_s_; }
  double worst_excess() const { return worst_excess_; }

 private:
  struct Excess {
    double power_w = 0;   // the highest mean that exceeds its limit
    double window_s = 0;  // longest averaging time of such a mean
  };
  std::optional<Excess> excess() const;
  double mean_w(double since_s) const;

  double limit_w_, average_s_;
  // The samples of the last average_s, at least 2 s.
  std::deque<TimedPower> recent_;
  double since_s_ = 0;
  double over_s_ = 0, longest_s_ = 0, current_s_ = 0, worst_excess_ = 0;
};

}  // namespace ridgewatt::measure
