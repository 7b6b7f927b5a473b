// The hardware that a twin's parameters are relative to, from a board.
#pragma once

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Peaks, highest clocks and memory of `board`, for its selected BSP.
void set_hardware(const Board& board, Twin& twin);
// Rate of the pipe that FP32 convolutions run in (TF32 where there is) over the FP32 peak.
// NotSupportedError when the board file does not state it.
double conv_over_fp32(const Board& board);

}  // namespace ridgewatt::twin
