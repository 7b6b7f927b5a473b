#include "ridgewatt/answer/explain/lower_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::answer {

std::vector<WeighedMode> weighted_presets(const Board& board) {
  constexpr double kOften = 3;  // chosen: weight of the preset that is set after installation
  const Bsp& bsp = board.find_bsp();
  std::vector<WeighedMode> found;
  for (const Preset& preset : bsp.presets) {
    found.push_back({preset.id == bsp.default_preset ? kOften : 1, preset.mode, preset.name});
  }
  return found;
}

std::vector<WeighedMode> unlocked_modes(const Board& board, const PowerMode& mode) {
  constexpr std::array kShares = {0.6, 0.75, 0.9};
  std::vector<WeighedMode> found;
  if (board.discrete_gpu) return found;
  for (const double share : kShares) {
    PowerMode lower = mode;
    lower.gpu_clock_hz *= share;
    lower.cpu_clock_hz *= share;
    found.push_back({1, lower, mode_name(board, mode) + " with clocks that are not locked"});
  }
  return found;
}

bool saw_low_clock(const WatchedRun& seen, const PowerMode& mode, Knob knob) {
  return seen && seen->clocks.has(knob) && mode.has(knob) &&
         seen->clocks.get(knob) < kLowClock * mode.get(knob);
}

bool saw_clocks(const WatchedRun& seen) {
  return seen && seen->clocks != PowerMode{};
}

bool saw_higher_clock(const WatchedRun& seen, const PowerMode& mode) {
  return seen && std::any_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
           return knob != Knob::kCpuCores && seen->clocks.has(knob) && mode.has(knob) &&
                  mode.get(knob) < kLowClock * seen->clocks.get(knob);
         });
}

double weight_of_seen(const WatchedRun& seen, const PowerMode& mode) {
  constexpr double kDespiteLimits = 0.02;  // chosen: limits may have changed, or were misread
  if (saw_higher_clock(seen, mode)) return 0;
  if (!seen || seen->limits == PowerMode{}) return 1;
  return saw_limits_of(seen, mode) ? 1 : kDespiteLimits;
}

bool saw_limits_of(const WatchedRun& seen, const PowerMode& mode) {
  if (!seen || seen->limits == PowerMode{}) return false;
  return std::all_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
    if (!seen->limits.has(knob) || !mode.has(knob)) return true;
    const double ratio = seen->limits.get(knob) / mode.get(knob);
    return ratio > kLowClock && ratio < 1 / kLowClock;
  });
}

std::vector<WeighedMode> modes_below(const Board& board, const PowerMode& mode, Knob knob,
                                     const WatchedRun& seen) {
  const std::vector<double>& levels = board.find_bsp().levels[knob];
  std::vector<WeighedMode> found;
  if (seen && seen->clocks.has(knob)) {
    if (!saw_low_clock(seen, mode, knob)) return found;
    PowerMode lower = mode;
    lower.set(knob, seen->clocks.get(knob));
    found.push_back({1, lower, fmt::format("{:.0f} MHz", knob_in_field_unit(lower, knob))});
    return found;
  }
  for (const double level : levels) {
    if (level >= mode.get(knob)) continue;
    PowerMode lower = mode;
    lower.set(knob, level);
    const double weight = level == *std::min_element(levels.begin(), levels.end()) ? 2 : 1;
    found.push_back({weight, lower, format_exact(knob_in_field_unit(lower, knob)) + " MHz"});
  }
  return found;
}

std::vector<PowerMode> throttled_modes(const PowerMode& mode, const WatchedRun& seen) {
  constexpr std::array kShares = {0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.9};
  std::vector<PowerMode> found;
  if (mode.gpu_clock_hz <= 0) return found;
  if (seen && seen->clocks.has(Knob::kGpuClock)) {
    if (!saw_low_clock(seen, mode, Knob::kGpuClock)) return found;
    found.push_back(mode);
    found.back().gpu_clock_hz = seen->clocks.gpu_clock_hz;
    if (!saw_low_clock(seen, mode, Knob::kCpuClock)) return found;
    found.push_back(found.back());
    found.back().cpu_clock_hz = seen->clocks.cpu_clock_hz;
    return found;
  }
  for (const double share : kShares) {
    found.push_back(mode);
    found.back().gpu_clock_hz *= share;
  }
  return found;
}

bool nears_limit(const Board& board, double power_w) {
  constexpr double kNear = 0.8;  // chosen: supplies and limits differ by 10 to 20 %
  return !board.power_limit_w || power_w >= kNear * *board.power_limit_w;
}

std::string power_fault(const Board& board, const twin::Twin& twin, double power_w) {
  constexpr double kMargin = 1.5;  // chosen: errors of meters and of the twin's idle power
  PowerMode lowest;
  for (const Knob knob : kKnobs) {
    const std::vector<double>& levels = board.find_bsp().levels[knob];
    if (!levels.empty()) lowest.set(knob, *std::min_element(levels.begin(), levels.end()));
  }
  const double idle_w = twin::idle_power_w(twin, lowest);
  if (power_w < idle_w / kMargin) {
    return sentence("{:.3g} W is below the idle power of {} at its lowest clocks, {:.3g} W",
                    power_w, board.name, idle_w);
  }
  if (board.power_limit_w && power_w > kMargin * *board.power_limit_w) {
    return sentence("{:.3g} W is above the power limit of {}, {:.3g} W", power_w, board.name,
                    *board.power_limit_w);
  }
  return {};
}

std::string memory_fault(double needed_bytes, double free_bytes) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  if (needed_bytes <= free_bytes) return {};
  return sentence("the model needs {:.3g} of {:.3g} GiB: it does not fit", needed_bytes / kGibibyte,
                  free_bytes / kGibibyte);
}

double cpu_peak_flop_per_s(const Board& board, const PowerMode& mode) {
  constexpr double kTwoFma = 16;  // chosen: two FMA of 128 bits, if a board file has no figure
  const double per_cycle = board.cpu_flop_per_cycle > 0 ? board.cpu_flop_per_cycle : kTwoFma;
  return mode.cpu_cores * mode.cpu_clock_hz * per_cycle;
}

std::string mode_arguments(const Board& board, const PowerMode& mode) {
  const std::string name = mode_name(board, mode);
  return name == describe(mode) ? mode_options(mode) : name;
}

}  // namespace ridgewatt::answer
