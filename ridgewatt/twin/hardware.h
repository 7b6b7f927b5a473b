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
// True of TF32, and of a rate that pipes cannot have: more than twice that of FP32.
bool on_tensor_cores(const Board& board, Arithmetic arithmetic);
// If FP32 convolutions run on pipes, their rate says nothing about tensor cores, which do not use
// Winograd's algorithm. Tensor cores are then assumed to reach, in other precisions, the same share
// of their peak as those of the AGX Orin.
void limit_tensor_share(Twin& twin);

}  // namespace ridgewatt::twin
