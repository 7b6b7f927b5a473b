// Scales a twin to the hardware of another board, or of the same board under another BSP. Use it
// for a board that has no measurements.
//
//   const Twin twin = carry_twin(load_twin(orin), orin, orin_nano);
//
// Ratios, cycles and energies per byte stay constant. Power scales with the number of SMs, the
// clocks and the voltage. On the same system on a chip, voltage is a function of the clock in Hz,
// so a board with lower clocks stays on the flat part of the curve. On another system on a chip,
// voltage is a function of the clock divided by the highest clock.
#pragma once

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Returns the parameters of `twin`, a twin of `from`, scaled to the hardware of `to`, with the
// status "scaled, not validated". The variance of each ln(parameter) grows by the square of the
// prior's deviation (times kSameChip on the same system on a chip), and by the square of half the
// logarithm of the scaling factor (a rule of thumb). Throws NotSupportedError if a board file lacks
// a rate that is needed.
Twin carry_twin(const Twin& twin, const Board& from, const Board& to);

// Returns the twin of the related board that `board` names, scaled to `board`. Ignores a twin in
// the file of `board` itself.
Twin carried_twin(const Board& board);

// Scales `twin` to the highest clocks of the selected BSP of `board`. The uncertainties do not
// grow.
Twin carry_to_bsp(const Twin& twin, const Board& board);

// Returns the twin of the same board with only `sms` of its SMs on, as some presets leave it.
// Compute rates, the requests to memory, and the GPU's clock, busy and leakage power are
// proportional to the number of SMs.
Twin with_sms(const Twin& twin, int sms);

// Factor on the prior's deviation between boards of the same system on a chip (chosen).
inline constexpr double kSameChip = 0.3;

}  // namespace ridgewatt::twin
