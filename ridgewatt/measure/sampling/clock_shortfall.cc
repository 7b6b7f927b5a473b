#include "ridgewatt/measure/sampling/clock_shortfall.h"

#include <cmath>
#include <string>

namespace ridgewatt::measure {
namespace {

constexpr double kShortfall = 0.01;

}  // namespace

bool clocks_fell_short(const Measurement& measurement, const PowerMode& set, const PowerMode& now) {
  for (const Knob knob : kKnobs) {
    if (set.has(knob) && std::abs(now.get(knob) - set.get(knob)) > kShortfall * set.get(knob)) {
      return true;
    }
  }
  if (!set.governor.empty()) return false;  // a governor changes clocks
  const auto below = [&](const std::string& channel, Knob knob) {
    for (const auto& series : measurement.series_summary) {
      if (series.channel.rfind(channel, 0) == 0 && set.has(knob) && series.low > 0 &&
          series.low < (1 - kShortfall) * set.get(knob)) {
        return true;
      }
    }
    return false;
  };
  return below("clock:cpu", Knob::kCpuClock) || below("clock:gpu", Knob::kGpuClock) ||
         below("clock:emc", Knob::kMemClock);
}

}  // namespace ridgewatt::measure
