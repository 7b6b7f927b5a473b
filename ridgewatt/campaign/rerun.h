// Plans measured points again whose measurement is in doubt.
//
//   const Reruns again = plan_reruns(plan, filled_slots(plan, store), {.flagged = true});
//   write_plan(plan, path);   // then `campaign watch` submits them
//
// A point that is planned again gets a new slot, "sweep7/agx-orin/117@1". Its earlier measurement
// stays in the store and no longer counts. Calibration points are measured again by every board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// A point is planned again if any of these holds.
struct RerunRules {
  bool flagged = false;                      // it has a flag
  std::optional<std::int64_t> until_unix_s;  // it began at this second or earlier
  std::string serial;                        // this board measured it; empty: no board
  // Throws UsageError without a rule.
  void check() const;
};

struct Reruns {
  struct OfKind {
    std::string kind;
    std::size_t points = 0, calibration = 0;  // planned again
    std::size_t measured = 0;                 // points whose measurement counted before
  };
  std::vector<OfKind> kinds;
};
Reruns plan_reruns(Plan& plan, const std::vector<store::FilledSlot>& filled,
                   const RerunRules& rules);

// Reads plan and store, and writes the plan unless it is `dry`. Throws what reading them throws.
Reruns rerun(const std::string& path, const RerunRules& rules, bool dry);

}  // namespace ridgewatt::campaign
