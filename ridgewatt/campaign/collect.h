// The points of a campaign out of its store, by kind of board and by board.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// What one board measured for a campaign, calibration points among it.
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
