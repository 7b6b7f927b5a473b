// The time that each clock has spent at each of its frequencies, as the kernel counts it: cpufreq's
// stats/time_in_state and devfreq's trans_stat. The difference of two readings shows which clocks a
// governor chose.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

using SecondsByClock = std::map<double, double>;  // seconds by frequency in Hz

struct ClockTimes {
  std::string name;    // as in SensorSnapshot::clocks: "cpu0", "gpu"
  std::string source;  // "time_in_state", "trans_stat"
  SecondsByClock seconds = {};
};

// Parses lines "KHZ TIME" with the time in units of 10 ms (USER_HZ). Empty for any other text.
std::optional<SecondsByClock> parse_time_in_state(std::string_view text);
// Parses a table of transitions whose rows end with the time in ms ("*" marks the current clock).
// Empty for any other text, such as "Not Supported.".
std::optional<SecondsByClock> parse_trans_stat(std::string_view text);

// The clocks that the kernel counts. Leaves out a clock if all of its CPUs are off. Unreadable and
// invalid counters are left out.
std::vector<ClockTimes> read_clock_times(const Sysfs& sysfs, const JetsonLayout& layout);

}  // namespace ridgewatt::platform
