// Compares measured roofs with the data of a board: can they come from this board, and which share
// of the data sheet do they reach?
//
//   for (const auto& line : check_against_board(roofs, load_board("agx-orin"))) remark(line);
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"

namespace ridgewatt::roofline {

// Returns one sentence per finding: the measured shares of the data sheet's FP32 and DRAM peaks, or
// a warning that the points were measured on a processor and are not roofs of the GPU. Throws
// InputError for a clock above the board's highest and for a rate more than a tenth above the data
// sheet, because the points then come from another machine or have another unit.
std::vector<std::string> check_against_board(const MeasuredRoofs& roofs, const Board& board);

}  // namespace ridgewatt::roofline
