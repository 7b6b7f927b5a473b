// Compares measured roofs with the data of their board: whether they can be of that board, and
// which share of the data sheet they reach.
//
//   for (const auto& line : check_against_board(roofs, load_board("agx-orin"))) remark(line);
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"

namespace ridgewatt::roofline {

// One sentence for each finding: the measured share of the data sheet's FP32 and DRAM peaks, and a
// warning if points of a processor are not the roofs of the GPU. Throws InputError for a clock that
// the board does not have and for rates more than a tenth beyond its data sheet: the points are of
// another machine or in another unit.
std::vector<std::string> check_against_board(const MeasuredRoofs& roofs, const Board& board);

}  // namespace ridgewatt::roofline
