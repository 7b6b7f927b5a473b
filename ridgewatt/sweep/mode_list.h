// The power modes that a command is asked about, by what a user writes.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// The modes of a CSV file with knob columns or `governor` as in a sweep (other columns are
// ignored), in the order of their first appearance. InputError: no such column, a value that is not
// a clock in MHz.
std::vector<PowerMode> read_modes(const std::string& path);

// What select_modes understands, for help and errors.
inline constexpr char kModesHelp[] =
    "all, presets, maxn, names of presets (15W,7W), one mode (cores=8,gpu=624.75), or a CSV file "
    "of "
    "modes";

// A list, split at commas, of "all": every mode of the board; "presets"; "maxn": everything at its
// highest; names of presets. Or one mode as text (device/mode_text.h): knobs that it leaves out are
// at their highest, clocks are those of the board within 1 MHz. Or a CSV file (anything with a '/'
// or ending in .csv). Each mode once, in the order asked. Throws what find_preset throws, and
// UsageError for a knob that the board cannot be set to.
std::vector<PowerMode> select_modes(const Board& board, const std::string& text);

}  // namespace ridgewatt
