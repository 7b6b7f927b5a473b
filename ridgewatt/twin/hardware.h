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
// Where FP32 convolutions run on pipes, their rate says nothing of tensor cores, which do without
// Winograd's algorithm: in other precisions they reach the share of their peak that those of the
// AGX Orin do.
void limit_tensor_share(Twin& twin);

}  // namespace ridgewatt::twin
