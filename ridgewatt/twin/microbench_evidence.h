// Derives parameters of a twin from the microbenchmark results in a board file (its [microbench]
// table).
//
//   for (const auto& seen : microbench_observations(board)) fit.add(seen.param, seen.value, ..);
//
// A twin's compute rates are ratios to the peaks of the data sheet, and no kernel of a network is a
// pure chain of multiply-adds. A measured compute peak therefore changes none of them. The
// sustained share of the DRAM bandwidth is measured directly.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// A directly measured parameter. `log_sd` is the standard deviation of ln(value).
struct ParameterObservation {
  TwinParam param = TwinParam::kMemoryBandwidthShare;
  double value = 0;  // in the parameter's unit
  double log_sd = 0;
  std::string source;  // mode, and origin of the measurements
};

// Returns memory_bandwidth_share, from the mode with the highest share of the DRAM peak, and
// energy_per_flop_j and energy_per_byte_j if power was measured at the highest GPU clock. The
// deviations include the difference between the operations of a microbenchmark and those of a
// network. Empty if the board file has no microbenchmark results for its GPU.
std::vector<ParameterObservation> microbench_observations(const Board& board);

// Applies the measured share of bandwidth to `twin` and adds a note to its status. If the twin was
// fitted to sweeps of this board and the measurement is within three deviations, all correlated
// parameters are conditioned on the measurement. Otherwise (a scaled twin, a prior, or a
// contradiction) the measured value replaces the parameter. Energies are not applied: only a fit
// uses them. Does nothing without measured roofs, or if the twin's own table lists "microbench",
// because then the fit has already used them.
void observe_microbench(const Board& board, Twin& twin);

}  // namespace ridgewatt::twin
