// Reads lists of power modes that a user gives to a command.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// Reads the modes of a CSV file with knob columns or `governor`, as in a sweep. Returns each mode
// once, in order of first appearance. Throws InputError if there is no such column, a value is
// invalid, or the file has an unknown column. In a file with a `time_ms` column (a sweep), other
// columns are ignored.
std::vector<PowerMode> read_modes(const std::string& path);

// Returns a mode of a file, with clocks within 1 MHz of a clock of the space set to that clock.
// Knobs that the space lacks do not change. Throws UsageError, with the file and the mode, for a
// value that the space lacks.
PowerMode mode_in_space(const KnobSpace& space, const PowerMode& mode, const std::string& path);

// Help text with the syntax that select_modes() accepts.
inline constexpr char kModesHelp[] =
    "all, presets, maxn, names of presets (15W,7W), one mode (cores=8,gpu=624.75), or a CSV file "
    "of "
    "modes";

// Parses one of three forms:
// * a comma-separated list of "all" (every mode of the board), "presets", "maxn" (all knobs at
//   their highest levels) and names of presets;
// * one mode as text (device/mode_text.h): omitted knobs have their highest level, and clocks
//   within 1 MHz of a clock of the board count as that clock;
// * the path of a CSV file (any text with a '/' or ending in .csv), see read_modes() and
//   mode_in_space().
//
// Returns each mode once, in the given order. Throws the errors of find_preset() and read_modes(),
// and UsageError for a knob setting that the board does not have.
std::vector<PowerMode> select_modes(const Board& board, const std::string& text);

}  // namespace ridgewatt
