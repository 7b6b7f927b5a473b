// Reads the points of a campaign from its store, by kind of board and by board.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// The points that one board measured for a campaign, including calibration points.
struct BoardRows {
  std::string kind, serial;
  store::Series series;
  std::vector<store::PointRecord> records;  // without raw samples
};
// In the order of the store. Throws what reading the store throws.
std::vector<BoardRows> rows_of(const Plan& plan, store::Store& store);

// The same by kind of board, for merge_boards (campaign/merged_sweep.h).
std::vector<BoardsOfKind> boards_of(const std::vector<BoardRows>& rows);

}  // namespace ridgewatt::campaign
