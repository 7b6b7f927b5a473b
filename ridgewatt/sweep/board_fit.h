// Checks whether the rows of a sweep can come from a given board, by its cores and clocks.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Largest relative difference at which a recorded clock counts as a clock of the board. Logs round
// clocks in different ways.
inline constexpr double kClockTolerance = 0.01;

// Replaces every clock of `samples` by the clock of the board within kClockTolerance, so that modes
// compare equal. Throws InputError if the samples state another built-in board (a fake board counts
// as the board that it imitates, and the release does not matter), and for the first row that
// matches no mode of the board. The message names the nearest clock and, if all rows match another
// release of the board's software, that release. Rows under a governor are not checked. If the
// board's tables are incomplete, any clock up to the highest is accepted.
void fit_to_board(Sweep& samples, const Board& board);
// Throws InputError if the samples state a built-in board other than `board`, as fit_to_board()
// does.
void refuse_other_board(const Sweep& samples, const Board& board);
// The first release of the board's software whose modes include those of all rows. Null: none.
const Bsp* fitting_release(const Sweep& samples, const Board& board);
// Like fit_to_board(), for the modes `space` of the local board. `name` is used in messages.
void fit_to_space(Sweep& samples, const KnobSpace& space, const std::string& name);

// Advice for modes that this machine's board (`space`) lacks: names the release of the board's
// software that has all these modes, and the release of this machine. Empty if there is no such
// release.
std::string release_advice(const std::vector<PowerMode>& modes, const KnobSpace& space,
                           const Board& board);

// Returns the modes of `board`, limited to the knobs that the samples contain. Other knobs were not
// varied and are not dimensions.
KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples);

}  // namespace ridgewatt
