// What the measured roofs of a board file (its [microbench] table) say about a twin's parameters.
//
//   for (const auto& seen : microbench_observations(board)) fit.add(seen.param, seen.value, ..);
//
// A twin's rates are ratios to the data sheet's peaks, so a measured peak changes none of them: no
// kernel of a network is a chain of multiply-adds. The DRAM's sustained share is measured directly.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// A parameter as it was measured: the logarithm of `value`, with a standard deviation.
struct ParameterObservation {
  TwinParam param = TwinParam::kMemoryBandwidthShare;
  double value = 0;  // in the parameter's unit
  double log_sd = 0;
  std::string source;  // mode, and where the points are from
};

// memory_bandwidth_share, of the mode in which most of the DRAM's peak was reached;
// energy_per_flop_j and energy_per_byte_j where power was measured at the highest GPU clock. Their
// deviations are those of the points and of what a microbenchmark's operations differ by from a
// network's. Empty for a board without roofs of its GPU.
std::vector<ParameterObservation> microbench_observations(const Board& board);

// Takes the measured share of bandwidth into a twin and says so in its status. A twin that was
// fitted to sweeps of this board is conditioned on it (other parameters follow as far as the fit
// could not separate them), unless it lies beyond three deviations; one that was scaled, or is a
// prior, takes it over, and so does one that is contradicted. Energies are left to a fit. Nothing
// happens without measured roofs, nor where the twin's own table names them
// ("microbench"): its fit has had them.
void observe_microbench(const Board& board, Twin& twin);

}  // namespace ridgewatt::twin
