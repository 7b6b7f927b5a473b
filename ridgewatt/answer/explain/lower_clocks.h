// Modes in which a board may run instead of the intended one, and limits of its processors. Shared
// by the causes of all models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/seen_run.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::answer {

// The mode as arguments of `ridgewatt mode apply`: a preset's name, or options.
std::string mode_arguments(const Board& board, const PowerMode& mode);

struct WeighedMode {
  double weight = 1;  // relative to the other modes
  PowerMode mode;
  std::string name;
};

// Returns the presets. The default preset has the highest weight.
std::vector<WeighedMode> weighted_presets(const Board& board);

// Returns modes with lower clocks of GPU and CPU, as a governor sets them on a Jetson board if
// nobody locked the clocks (jetson_clocks). Published times are usually of locked clocks.
std::vector<WeighedMode> unlocked_modes(const Board& board, const PowerMode& mode);
inline constexpr double kUnlockedSd = 0.08;  // of ln(time) between two of these modes; chosen

// The observations of a watched run; absent: only measured numbers are known.
using WatchedRun = std::optional<measure::SeenRun>;

// A mean clock below this share of the mode's clock counts as low. This value is chosen because
// governors under load stay within 5 % of the clock.
inline constexpr double kLowClock = 0.93;
// Returns whether the clock was observed and low.
bool saw_low_clock(const WatchedRun& seen, const PowerMode& mode, Knob knob);

// Returns whether any clock was observed, which limits the possible modes.
bool saw_clocks(const WatchedRun& seen);

// Returns whether an observed clock exceeds that of the mode, so that the mode cannot have been
// set.
bool saw_higher_clock(const WatchedRun& seen, const PowerMode& mode);

// Returns whether the limits of the machine were observed and equal those of the mode.
bool saw_limits_of(const WatchedRun& seen, const PowerMode& mode);

// Returns the weight of a preset, given the observations: 0 if an observed clock exceeds the
// preset's, a small value if the observed limits differ from the preset's, otherwise 1.
double weight_of_seen(const WatchedRun& seen, const PowerMode& mode);

// Returns modes with one clock below that of `mode`. The lowest level has twice the weight, because
// a governor idles there. If the clock was observed, returns only that clock, or no mode if it was
// not low.
std::vector<WeighedMode> modes_below(const Board& board, const PowerMode& mode, Knob knob,
                                     const WatchedRun& seen);

// Returns modes for throttling, which moves the GPU clock between its upper levels: the mean clocks
// are 35 to 90 % of the mode's clock. If the clock was observed and was low, returns that clock,
// and a mode that also has the observed CPU clock if this was low. Empty without a GPU clock, or if
// the observed clock was not low.
std::vector<PowerMode> throttled_modes(const PowerMode& mode, const WatchedRun& seen);

// Returns whether the power is so close to the module's limit that the board may throttle; true if
// the limit is unknown.
bool nears_limit(const Board& board, double power_w);

// Returns why the board cannot draw this power in any mode: the power is far below the idle power
// at the lowest clocks, or far above the module's limit. Empty: the power is possible.
std::string power_fault(const Board& board, const twin::Twin& twin, double power_w);

// Returns a text if the model needs more memory than the board has free; empty: it fits.
std::string memory_fault(double needed_bytes, double free_bytes);

// Returns the FP32 peak of all online cores; 0 without a CPU clock.
double cpu_peak_flop_per_s(const Board& board, const PowerMode& mode);

}  // namespace ridgewatt::answer
