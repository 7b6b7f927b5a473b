// The fake kernel's counters of time per clock: cpufreq/policyN/stats/time_in_state and
// devfreq/*/trans_stat. A file holds the times until it was last written. Reading adds the time
// since then at the current clock, so all state is in the files and no process needs to run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// Counters of a new board, all zero. Clocks are in kHz and in Hz.
std::string new_time_in_state(const std::vector<double>& clocks_khz);
std::string new_trans_stat(const std::vector<double>& clocks_hz);

bool is_clock_counter(std::string_view path);
// The content that a kernel would show now: `stored`, plus the time since it was written, which
// counts for the current clock.
std::string clock_counter_now(const Sysfs& sysfs, const std::string& path,
                              const std::string& stored);
// Call when the clock of `folder` (a cpufreq policy or devfreq device) changes. Counts the time at
// the frequency `from`, in the unit of the files. Does nothing if there is no counter.
void count_clock(const Sysfs& sysfs, const std::string& folder, bool cpu, double from, double to);
// Call before `affected_cpus` changes because the last CPU of the cpufreq policy `folder` goes off
// or the first one comes on. The counter stops while all are off.
void switch_policy(const Sysfs& sysfs, const std::string& folder);

}  // namespace ridgewatt::platform
