// Reads the measured points of a campaign from its store, grouped by board.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// Points of a campaign that one board measured, including calibration points.
struct BoardRows {
  std::string kind, serial;
  store::Series series;
  std::vector<store::PointRecord> records;  // without raw samples
};
// Returns the boards in the order of the store. Throws the errors of reading the store.
std::vector<BoardRows> rows_of(const Plan& plan, store::Store& store);

// Groups the boards by kind, as input of merge_boards() (campaign/merged_sweep.h).
std::vector<BoardsOfKind> boards_of(const std::vector<BoardRows>& rows);

}  // namespace ridgewatt::campaign
