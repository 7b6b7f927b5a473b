// Power modes as text: "cores=4,cpu=1113.6,gpu=612,mem=2133".
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// Parses a mode. The parts may be in any order; clocks are in MHz. Other parts are "governor=NAME"
// and, for a power limit of the firmware, "limit=150" in watts. Throws UsageError for other text
// and for a part that is given twice.
PowerMode parse_mode_text(const std::string& text);
// Returns the name of the knob in this text: cores, cpu, gpu or mem.
const char* short_name(Knob knob);
// Returns the text of a mode, which parse_mode_text() converts back.
std::string mode_text(const PowerMode& mode);
// Returns a line for each requested clock that was replaced by the nearest clock of the board.
std::vector<std::string> rounded_clocks(const PowerMode& asked, const PowerMode& applied);
// Returns the mode as options of `ridgewatt mode apply`: "--cpu-cores 6 --gpu-mhz 1109.25".
std::string mode_options(const PowerMode& mode);

}  // namespace ridgewatt
