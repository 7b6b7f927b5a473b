// The streaming multiprocessors (SMs) that presets leave on. The knobs of a mode do not show them.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"

namespace ridgewatt {

// The SMs that are on in a mode: those of the first preset with exactly this mode whose number is
// known, otherwise all.
int sms_on(const Board& board, const PowerMode& mode);
// "MODE_15W leaves 6 of 16 SMs on", for each preset with one of these modes that switches SMs off.
std::vector<std::string> sms_off_texts(const Board& board, const std::vector<PowerMode>& modes);

}  // namespace ridgewatt
