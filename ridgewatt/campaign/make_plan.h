// Makes a plan: which points, in which order, and what they will take.
//
//   plan.boards.push_back(planned_kind("agx-orin", 4, modes, {1, 16}, {.repeats = 2}));
//   foretell(plan.boards.back(), twin_model, plan.profile);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::campaign {

struct PlanOptions {
  int repeats = 1;
  std::size_t calibration = 6;    // points that every board measures; 0: none
  std::size_t most_tasks = 1000;  // of a kind: Slurm's arrays end at 1000 where nobody changed it
};

// Every mode at every batch, `repeats` times. All points once, then all again: a campaign that is
// cut short has seen every mode. UsageError where there is none.
BoardKind planned_kind(const std::string& name, int boards, const std::vector<PowerMode>& modes,
                       const std::vector<int>& batches, const PlanOptions& options = {});

// So many of the modes that lie as far from each other as can be, counted in the levels that occur:
// the highest first, then each the farthest from those before it (Gonzalez 1985). Fewer where there
// are fewer.
std::vector<PowerMode> spanning_modes(const std::vector<PowerMode>& modes, std::size_t count);

// Writes into each point what measuring it takes: idling, settling, warm-up and window. Not
// counted: the start of the program. Points that do not fit the board's memory stay without.
void foretell(BoardKind& kind, const twin::TwinModel& model,
              const measure::ProfileOptions& options);

// What a kind takes if all its boards work without a pause. Zeros where nothing is foretold.
struct Foretold {
  double points_s = 0;      // of one board that measured all, without calibration
  double duration_s = 0;    // calibration, then the points shared out
  double energy_j = 0;      // of all boards
  std::size_t unknown = 0;  // points without
};
Foretold foretold(const BoardKind& kind);

}  // namespace ridgewatt::campaign
