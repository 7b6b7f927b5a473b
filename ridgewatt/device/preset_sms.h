// The streaming multiprocessors (SMs) that presets leave on. The knobs of a mode do not show them.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"

namespace ridgewatt {

// Returns the number of SMs that are on in a mode. The number is that of the first preset with
// exactly this mode and a known number of SMs; without such a preset, all SMs are on.
int sms_on(const Board& board, const PowerMode& mode);
// Returns "MODE_15W leaves 6 of 16 SMs on" for each preset of these modes that switches SMs off.
std::vector<std::string> sms_off_texts(const Board& board, const std::vector<PowerMode>& modes);

}  // namespace ridgewatt
