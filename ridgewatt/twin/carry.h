// What a twin's parameters become on the hardware of another board, or of the same board under
// other software, and how sure one may be of that: where a board without measurements starts.
//
//   const Twin twin = carry_twin(load_twin(orin), orin, orin_nano);
//
// Ratios, cycles and energies per byte stay. Power follows what burns it: SMs, clocks and voltage.
// On the same system on a chip voltage is a function of the clock in Hz, so that a board with lower
// clocks stays on the flat part of the curve; on another one, of the share of the highest clock.
#pragma once

#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Parameters of `twin`, a twin of `from`, on the hardware of `to`. Deviations grow: by those of the
// priors (kSameChip of them on the same system on a chip), and by half the logarithm of a factor,
// which is a rule of thumb. Status "scaled, not validated". NotSupportedError when a board file
// does not state a rate that is needed.
Twin carry_twin(const Twin& twin, const Board& from, const Board& to);

// The twin of a board's relative, carried to it: its twin as if nothing were known of the board
// itself.
Twin carried_twin(const Board& board);

// The same board with the highest clocks of its selected BSP: nothing is less sure.
Twin carry_to_bsp(const Twin& twin, const Board& board);

inline constexpr double kSameChip = 0.3;

}  // namespace ridgewatt::twin
