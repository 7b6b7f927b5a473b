// The two modes to which in-place profiling returns: a safe mode, which has stayed below the power
// limit, and a reference mode, which is measured repeatedly to detect drift.
#pragma once

#include <cmath>
#include <optional>

#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::measure {

// The mode to set when the current mode exceeds the power limit: the fastest one that stayed
// clearly below the limit.
class SafeMode {
 public:
  void begin(const PowerMode& first) { first_ = mode_ = first; }
  const PowerMode& mode() const { return mode_; }
  bool is_first(const PowerMode& mode) const { return mode == first_; }
  void learn(const InPlaceWindow& window, double limit_w) {
    constexpr double kCloseToLimit = 0.98;
    if (!std::isfinite(limit_w) || window.power_w > kCloseToLimit * limit_w) return;
    if (mode_ != window.point.mode && pace_s_ && window.time_s > *pace_s_) return;
    mode_ = window.point.mode;
    pace_s_ = window.time_s;
  }
  // Call if the mode is no longer safe. The very first mode then becomes the safe mode.
  void lose() {
    mode_ = first_;
    forget_pace();
  }
  void forget_pace() { pace_s_.reset(); }

 private:
  PowerMode first_, mode_;
  std::optional<double> pace_s_;  // minibatch time in the safe mode
};

// Selects the mode with the shortest minibatches, because it costs least to measure. Considers
// only modes that are so far below the power limit that drift is detected before the limit is
// exceeded.
class ReferenceMode {
 public:
  explicit ReferenceMode(int every) : every_(every) {}
  bool known() const { return point_.has_value(); }
  const OperatingPoint& point() const { return *point_; }
  bool due() const { return every_ > 0 && known() && since_ >= every_; }
  void ask_soon() { since_ = every_; }
  void looked() { since_ = 0; }
  void profiled() { ++since_; }
  void choose(const InPlaceWindow& window, double limit_w) {
    constexpr double kFarFromLimit = 0.97, kQuicker = 0.7;
    if (window.power_w > kFarFromLimit * limit_w) return;
    if (!window.precise && known()) return;
    if (known() && window.time_s > kQuicker * time_s_) return;
    take(window);
  }
  void take(const InPlaceWindow& window) {
    point_ = window.point;
    time_s_ = window.time_s;
  }
  void lose() { point_.reset(); }

 private:
  int every_;  // profiled windows between two measurements of the reference
  int since_ = 0;
  std::optional<OperatingPoint> point_;
  double time_s_ = 0;
};

}  // namespace ridgewatt::measure
