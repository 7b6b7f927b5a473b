// Makes a plan: the points, their order, and their predicted time and energy.
//
//   plan.boards.push_back(planned_kind("agx-orin", 4, modes, {1, 16}, {.repeats = 2}));
//   predict_costs(plan.boards.back(), twin_model, plan.profile);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::campaign {

struct PlanOptions {
  int repeats = 1;
  std::size_t calibration = 6;    // points that every board measures; 0: none
  std::size_t most_tasks = 1000;  // per kind: the default limit of Slurm's arrays is 1000
};

// Every mode at every batch, `repeats` times. All points once, then all again: an interrupted
// campaign has seen every mode. Throws UsageError if there is none.
BoardKind planned_kind(const std::string& name, int boards, const std::vector<PowerMode>& modes,
                       const std::vector<int>& batches, const PlanOptions& options = {});

// Boards of a kind as a user names them, "agx-orin:4"; without a count one. A fake board has the
// tables of its own JetPack, not those of the kind's default.
struct NamedBoards {
  std::string kind;
  int count = 1;
  Board board;
};
NamedBoards parse_boards(const std::string& text);  // UsageError
// predict_costs() of a model, "zoo:NAME" or a file, that the command of `options` runs.
void predict_model(BoardKind& kind, const Board& board, const std::string& model,
                   const measure::ProfileOptions& options);
// The `count` modes that are farthest from each other, measured in occurring levels: the highest
// first, then each the farthest from the previous ones (Gonzalez 1985). Fewer if fewer exist.
std::vector<PowerMode> spanning_modes(const std::vector<PowerMode>& modes, std::size_t count);

// Predicts the time and energy of each point: idling, settling, warm-up and window, without the
// start of the program. Points that exceed the board's memory have no prediction.
void predict_costs(BoardKind& kind, const twin::TwinModel& model,
                   const measure::ProfileOptions& options);

// Predicted cost of a kind if all its boards work without a pause. Zeros if there is no prediction.
struct PredictedCost {
  double points_s = 0;      // of one board that measures all, without calibration
  double duration_s = 0;    // calibration, then the points distributed over the boards
  double energy_j = 0;      // of all boards
  std::size_t unknown = 0;  // points without a prediction
};
PredictedCost predicted_cost(const BoardKind& kind);

}  // namespace ridgewatt::campaign
