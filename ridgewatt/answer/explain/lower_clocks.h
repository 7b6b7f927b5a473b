// Modes in which a board may run instead of the one that was meant, and limits of its processors:
// what causes of models of all kinds take.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::answer {

struct WeighedMode {
  double weight = 1;  // relative
  PowerMode mode;
  std::string name;
};

// Presets; the one that is set after installation is the most frequent.
std::vector<WeighedMode> presets_besides(const Board& board);

// One clock below the one asked for; a governor rests at the lowest.
std::vector<WeighedMode> modes_below(const Board& board, const PowerMode& mode, Knob knob);

// Throttling moves the GPU clock between its upper levels: means of 35 to 90 % of the clock. Empty
// without a GPU clock.
std::vector<PowerMode> throttled_modes(const PowerMode& mode);

// Whether a power is so near the module's limit that it may slow down for it; true where no limit
// is known.
bool nears_limit(const Board& board, double power_w);

// FP32 of all cores online; 0 without a CPU clock.
double cpu_peak_flop_per_s(const Board& board, const PowerMode& mode);

}  // namespace ridgewatt::answer
