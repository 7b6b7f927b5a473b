// Checks whether a board really ran in the mode that was set.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

// Whether a clock was more than 1 % below its setting at any time in the window, or a knob has a
// value in `now` that differs by more than 1 % from its value in `set`.
bool clocks_fell_short(const Measurement& measurement, const PowerMode& set, const PowerMode& now);

}  // namespace ridgewatt::measure
