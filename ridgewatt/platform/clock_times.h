// How long each clock of the machine has run at each of its frequencies, as its kernel counts it:
// cpufreq's stats/time_in_state and devfreq's trans_stat. Two readings tell where a governor kept a
// clock between them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

using SecondsByClock = std::map<double, double>;  // Hz to s

struct ClockTimes {
  std::string name;    // as in SensorSnapshot::clocks: "cpu0", "gpu"
  std::string source;  // "time_in_state", "trans_stat"
  SecondsByClock seconds = {};
};

// Lines "KHZ TIME", time in units of 10 ms (USER_HZ). Nothing for any other text.
std::optional<SecondsByClock> parse_time_in_state(std::string_view text);
// A table of transitions whose rows end in the time in ms ("*" marks the current clock). Nothing
// for any other text, "Not Supported." among them.
std::optional<SecondsByClock> parse_trans_stat(std::string_view text);

// Of the clocks whose kernel counts; a counter that cannot be read or understood is left out.
std::vector<ClockTimes> read_clock_times(const Sysfs& sysfs, const JetsonLayout& layout);

}  // namespace ridgewatt::platform
