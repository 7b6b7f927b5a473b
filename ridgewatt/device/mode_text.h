// A power mode in one line of text, as users write it: "cores=4,cpu=1113.6,gpu=612,mem=2133".
#pragma once

#include <string>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// Parts in any order, clocks in MHz, also "governor=NAME", and "limit=150" (watts) where
// the firmware holds a power limit. UsageError on anything else.
PowerMode parse_mode_text(const std::string& text);
// The knob's name in such a text: cores, cpu, gpu or mem.
const char* short_name(Knob knob);
// What parse_mode_text reads back as the same mode.
std::string mode_text(const PowerMode& mode);

}  // namespace ridgewatt
