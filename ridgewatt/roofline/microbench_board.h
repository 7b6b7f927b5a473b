// Measured roofs beside what is known of their board: are they of that board at all, and how far
// is its data sheet reached?
//
//   for (const auto& line : check_against_board(roofs, load_board("agx-orin"))) remark(line);
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"

namespace ridgewatt::roofline {

// A sentence for each thing worth knowing: the share of the data sheet's FP32 peak and DRAM peak
// that was measured, and that a processor's points are not the GPU's roofs. InputError for a clock
// that the board does not have and for rates more than a tenth beyond its data sheet: the points
// are of another machine, or in another unit.
std::vector<std::string> check_against_board(const MeasuredRoofs& roofs, const Board& board);

}  // namespace ridgewatt::roofline
