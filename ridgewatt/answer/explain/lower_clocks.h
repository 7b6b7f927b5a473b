// Modes in which a board may run instead of the one that was meant, and limits of its processors:
// what causes of models of all kinds take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/seen_run.h"

namespace ridgewatt::answer {

struct WeighedMode {
  double weight = 1;  // relative
  PowerMode mode;
  std::string name;
};

// Presets; the one that is set after installation is the most frequent.
std::vector<WeighedMode> weighted_presets(const Board& board);

// A run that was watched; none: numbers alone.
using WatchedRun = std::optional<measure::SeenRun>;

// A mean clock below this share of the mode's is low. Chosen: governors stay within 5 % under load.
inline constexpr double kLowClock = 0.93;
// Whether the clock was seen, and was low.
bool saw_low_clock(const WatchedRun& seen, const PowerMode& mode, Knob knob);

// Whether a clock was seen: few modes are then possible.
bool saw_clocks(const WatchedRun& seen);

// Whether a clock was seen above what the mode allows, so that the mode was not set.
bool saw_higher_clock(const WatchedRun& seen, const PowerMode& mode);

// Whether the limits of the machine were seen, and are those of the mode.
bool saw_limits_of(const WatchedRun& seen, const PowerMode& mode);

// Of a preset, next to others: 0 where a clock was seen above it, little where the limits of the
// machine are not the preset's.
double weight_of_seen(const WatchedRun& seen, const PowerMode& mode);

// One clock below the one asked for; a governor rests at the lowest. Where the clock was seen, that
// one, and none where it was not low.
std::vector<WeighedMode> modes_below(const Board& board, const PowerMode& mode, Knob knob,
                                     const WatchedRun& seen);

// Throttling moves the GPU clock between its upper levels: means of 35 to 90 % of the clock, or the
// clock that was seen, alone and with a CPU clock that was low. Empty without a GPU clock, and
// where it was seen and was not low.
std::vector<PowerMode> throttled_modes(const PowerMode& mode, const WatchedRun& seen);

// Whether a power is so near the module's limit that it may slow down for it; true where no limit
// is known.
bool nears_limit(const Board& board, double power_w);

// FP32 of all cores online; 0 without a CPU clock.
double cpu_peak_flop_per_s(const Board& board, const PowerMode& mode);

}  // namespace ridgewatt::answer
