// Plans a second measurement of points whose first measurement may be wrong.
//
//   const Reruns again = plan_reruns(plan, filled_slots(plan, store), {.flagged = true});
//   write_plan(plan, path);   // then `campaign watch` submits them
//
// A point that is to be measured again gets a new slot, such as "sweep7/agx-orin/117@1". Its
// earlier measurement remains in the store but no longer counts. Calibration points are measured
// again by every board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// A point is measured again if at least one of these rules applies.
struct RerunRules {
  bool flagged = false;  // its measurement has a flag
  // Its measurement began in this second or earlier.
  std::optional<std::int64_t> until_unix_s;
  std::string serial;  // serial number of the board that measured it; empty: not a rule
  // Throws UsageError if no rule is set.
  void check() const;
};

struct Reruns {
  struct OfKind {
    std::string kind;
    std::size_t points = 0, calibration = 0;  // number of points to measure again
    std::size_t measured = 0;                 // number of points that were measured before
  };
  std::vector<OfKind> kinds;
};
// Changes the plan and returns the number of points.
Reruns plan_reruns(Plan& plan, const std::vector<store::FilledSlot>& filled,
                   const RerunRules& rules);

// Reads plan and store and, unless `dry`, writes the changed plan. Throws NotFoundError if no board
// with `rules.serial` measured a point, and the errors of reading plan and store.
Reruns rerun(const std::string& path, const RerunRules& rules, bool dry);

}  // namespace ridgewatt::campaign
