// Checks whether the rows of a sweep can come from a board: its cores and its clocks.
#pragma once

#include <string>

#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {

// Logs round clocks in different ways: a recorded clock within this share of a clock of the board
// is taken as that clock.
inline constexpr double kClockTolerance = 0.01;

// Sets every clock of `samples` to the clock of the board within kClockTolerance, so that modes
// compare equal. Throws InputError for the first row that matches no mode of the board; the message
// names the nearest clock and, if the row matches another release of the board's software, that
// release. Rows under a governor have no clocks to compare. A board with incomplete tables accepts
// any clock up to its highest.
void fit_to_board(Sweep& samples, const Board& board);
// The same for the modes of this machine's board, called `name` in messages.
void fit_to_space(Sweep& samples, const KnobSpace& space, const std::string& name);

// The modes of a board with the knobs that the samples contain. Other knobs were not varied and are
// not dimensions.
KnobSpace knobs_of_samples(const KnobSpace& board, const Sweep& samples);

}  // namespace ridgewatt
