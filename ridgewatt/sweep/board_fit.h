// Whether the rows of a sweep can be of a board: its cores and its clocks.
#pragma once

#include <string>

#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Clocks of logs are rounded in many ways: a recorded clock within this share of one of the board's
// is that clock.
inline constexpr double kClockTolerance = 0.01;

// Sets every clock of `samples` to the board's own that it is within kClockTolerance of, so that
// modes compare equal. Throws InputError naming the first row that no mode of the board is, with
// the nearest clock, and with another release of the board's software where the row is of that.
// Rows under a governor have no clocks to compare, and a board whose tables are not complete
// accepts any clock up to its highest.
void fit_to_board(Sweep& samples, const Board& board);
// The same for the modes of the board at hand, called `name` in messages.
void fit_to_space(Sweep& samples, const KnobSpace& space, const std::string& name);

// The modes of a board with the knobs that the samples have: another was not varied and is no
// dimension here.
KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples);

}  // namespace ridgewatt
