// Checks whether a board really ran in the mode that was set.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

// Whether a clock ran more than 1 % below its setting at any time of the window, or the value of a
// knob in `now` differs by more than 1 % from that in `set`.
bool clocks_fell_short(const Measurement& measurement, const PowerMode& set, const PowerMode& now);

}  // namespace ridgewatt::measure
