// Creates the plan of a campaign: the points, their order, and their predicted time and energy.
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
  std::size_t calibration = 6;  // number of points that every board measures; 0: none
  // Maximum number of tasks per kind: the default limit of Slurm's arrays is 1000.
  std::size_t most_tasks = 1000;
};

// Returns a kind with every mode at every batch, `repeats` times. All points come once before any
// is repeated, so an interrupted campaign has measured as many different points as possible. Throws
// UsageError if there is no mode or `repeats` is less than 1.
BoardKind planned_kind(const std::string& name, int boards, const std::vector<PowerMode>& modes,
                       const std::vector<int>& batches, const PlanOptions& options = {});

// Returns the path for a new plan: `asked`, or NAME.json if `asked` is empty. Throws UsageError if
// the file is the plan of a submitted campaign (it lists the jobs), or if NAME.json is not a plan.
std::string file_of_plan(const Plan& plan, const std::string& asked);

// Boards as text that a user enters: "agx-orin:4", or "agx-orin" for one board. A fake board uses
// the clock tables of its own JetPack version.
struct NamedBoards {
  std::string kind;
  int count = 1;
  Board board;
};
NamedBoards parse_boards(const std::string& text);  // throws UsageError
// Calls predict_costs() for a model ("zoo:NAME" or a file) that the measured command runs.
void predict_model(BoardKind& kind, const Board& board, const std::string& model,
                   const measure::ProfileOptions& options);
// Returns `count` modes that are far from each other, or fewer if there are fewer. Starts with the
// highest mode and repeatedly adds the mode that is farthest from the chosen ones (Gonzalez 1985).
// The distance is measured in ranks of the occurring levels.
std::vector<PowerMode> spanning_modes(const std::vector<PowerMode>& modes, std::size_t count);

// Sets the predicted time and energy of each point: idling, settling, warm-up and window, without
// the start of the program. Points that exceed the memory of the board get no prediction.
void predict_costs(BoardKind& kind, const twin::TwinModel& model,
                   const measure::ProfileOptions& options);

// Predicted cost if all boards of a kind work without pauses. 0 without a prediction.
struct PredictedCost {
  double points_s = 0;      // time of one board that measures all points, without calibration
  double duration_s = 0;    // calibration, plus the points divided among the boards
  double energy_j = 0;      // of all boards, including calibration
  std::size_t unknown = 0;  // number of points without a prediction
};
PredictedCost predicted_cost(const BoardKind& kind);

}  // namespace ridgewatt::campaign
