// Whether a board ran in the mode that was set.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

// A clock that ran more than 1 % lower than it was set to at any time of the window, or whose limit
// `now` is another than was set.
bool clocks_fell_short(const Measurement& measurement, const PowerMode& set, const PowerMode& now);

}  // namespace ridgewatt::measure
