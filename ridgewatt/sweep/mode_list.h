// Reads the list of power modes that a user gives to a command.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// The modes of a CSV file with knob columns or `governor` as in a sweep, in order of first
// appearance. Other columns are ignored. Throws InputError if there is no such column or a value is
// not a clock in MHz.
std::vector<PowerMode> read_modes(const std::string& path);

// The syntax that select_modes accepts, for help texts and errors.
inline constexpr char kModesHelp[] =
    "all, presets, maxn, names of presets (15W,7W), one mode (cores=8,gpu=624.75), or a CSV file "
    "of "
    "modes";

// A comma-separated list of: "all" (every mode of the board), "presets", "maxn" (all knobs at their
// highest level), names of presets. Or one mode as text (device/mode_text.h): knobs that are left
// out are at their highest level, and clocks within 1 MHz of a clock of the board are that clock.
// Or a CSV file (anything with a '/' or ending in .csv). Returns each mode once, in the given
// order. Throws what find_preset throws, and UsageError for a knob setting that the board does not
// have.
std::vector<PowerMode> select_modes(const Board& board, const std::string& text);

}  // namespace ridgewatt
