// Sets the hardware of a twin (peaks, clocks, memory). The parameters are relative to the hardware.
#pragma once

#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Copies peaks, highest clocks and memory of `board`, under its selected BSP, into `twin`.
void set_hardware(const Board& board, Twin& twin);
// Lowest clock to which the firmware of a discrete GPU goes to hold a power limit; `clocks_hz` are
// its clocks in rising order. At its lowest limit, an A40 draws up to 1.27 times the limit and runs
// as fast as at 0.22 times its highest clock (docs/results/discrete_gpus.md).
double least_limited_hz(const std::vector<double>& clocks_hz);
// Rate of FP32 convolutions in PyTorch (on TF32 tensor cores where the GPU has them) divided by the
// FP32 peak. Throws NotSupportedError if the board file does not state it.
double conv_over_fp32(const Board& board);
// True for TF32, and for any rate above twice the FP32 rate, which the FP32 pipes cannot reach.
bool on_tensor_cores(const Board& board, Arithmetic arithmetic);
// Limits the rates of the tensor cores. If FP32 convolutions run on the FP32 pipes, their fitted
// rate includes the gain of Winograd's algorithm, but tensor cores do not use it. The tensor cores
// are then assumed to reach the same share of their peak as those of the AGX Orin.
void limit_tensor_share(Twin& twin);

}  // namespace ridgewatt::twin
