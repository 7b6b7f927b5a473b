// The counters that the fake kernel keeps of its clocks, in the files that a kernel has:
// cpufreq/policyN/stats/time_in_state and devfreq/*/trans_stat. A file says what was counted until
// it was last written; the current clock has run since. So it counts while nobody looks, as a
// kernel does, and all state is in the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// The counter of a new board, at zero. Clocks in kHz and in Hz.
std::string new_time_in_state(const std::vector<double>& clocks_khz);
std::string new_trans_stat(const std::vector<double>& clocks_hz);

bool is_clock_counter(std::string_view path);
// `stored` as the kernel would show it now, at the clock in `current`.
std::string clock_counter_now(const Sysfs& sysfs, const std::string& path,
                              const std::string& stored);
// The clock of this folder (cpufreq policy or devfreq device) goes from one frequency to another,
// in the unit of its files: counts what it ran at the first. Does nothing where there is no
// counter.
void count_clock(const Sysfs& sysfs, const std::string& folder, bool cpu, double from, double to);

}  // namespace ridgewatt::platform
