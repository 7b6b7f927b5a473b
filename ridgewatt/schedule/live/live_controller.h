// When the plan of several programs is changed: the rule of DynamicController for rates that are
// estimated one by one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/schedule/live/live_book.h"

namespace ridgewatt::schedule::live {

class LiveController {
 public:
  LiveController(LiveBook& book, const DynamicOptions& options);

  // The present plan; before the first decision, what to begin with.
  const LivePlan& plan() const { return plan_; }
  // Given what arrives of each program: another plan, or nothing.
  std::optional<LivePlan> decide(double now_s, std::span<const double> rates_hz);
  // A mode change was seen to take so long.
  void set_mode_change_s(double seconds) { options_.mode_change_s = seconds; }

 private:
  LiveBook& book_;
  DynamicOptions options_;
  LivePlan plan_;
  double changed_s_ = 0;
};

}  // namespace ridgewatt::schedule::live
