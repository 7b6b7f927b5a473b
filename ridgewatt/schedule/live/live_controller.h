// Decides when to change the plan of several programs, by the rule of DynamicController
// (dynamic.h). The caller estimates the rates.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/schedule/live/live_book.h"

namespace ridgewatt::schedule::live {

class LiveController {
 public:
  LiveController(LiveBook& book, const DynamicOptions& options);

  // The current plan; before the first decision, the initial one.
  const LivePlan& plan() const { return plan_; }
  // Decides for the current rates, one per program. Returns another plan; empty: keep the current
  // one.
  std::optional<LivePlan> decide(double now_s, std::span<const double> rates_hz);
  // Sets the measured duration of a mode change.
  void set_mode_change_s(double seconds) { options_.mode_change_s = seconds; }

 private:
  LiveBook& book_;
  DynamicOptions options_;
  LivePlan plan_;
  double changed_s_ = 0;
};

}  // namespace ridgewatt::schedule::live
