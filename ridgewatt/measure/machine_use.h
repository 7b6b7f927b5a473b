// What a run used of its machine in addition to time and energy: time at each clock, bytes read and
// written, and how much of the named files was in the page cache.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/platform/clock_times.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::measure {

// Shares of a run's time that a clock spent at each of its frequencies: what a governor chose.
struct ClockResidency {
  std::string clock;   // "gpu", "cpu0", "emc"
  std::string source;  // "time_in_state", "trans_stat": the kernel's counters; "sampled"
  double time_s = 0;   // that was counted, or between the first look and the end
  std::vector<std::pair<double, double>> shares;  // Hz ascending, fraction; those above 0
};

// Between two readings of the kernel's counters; a counter that went back is left out.
std::vector<ClockResidency> counted_residency(const std::vector<platform::ClockTimes>& before,
                                              const std::vector<platform::ClockTimes>& after);
// Of the "clock:NAME" channels in [begin_s, end_s]: each sample holds until the next. More than
// kMostSampledClocks different frequencies are put into steps of kSampledStepHz.
inline constexpr std::size_t kMostSampledClocks = 32;
inline constexpr double kSampledStepHz = 100e6;
std::vector<ClockResidency> sampled_residency(const std::vector<store::RawSample>& samples,
                                              double begin_s, double end_s);
// Uses the kernel's counters if available, otherwise samples.
std::vector<ClockResidency> merge_residency(std::vector<ClockResidency> counted,
                                            const std::vector<ClockResidency>& sampled);

// Of all disks of the machine, for all processes: /proc/diskstats, excluding partitions, loop
// devices and RAM disks.
struct DiskIo {
  double reads = 0;  // requests that the disks have done
  double read_bytes = 0;
  double writes = 0;
  double written_bytes = 0;
};
std::optional<DiskIo> read_disk_io(const platform::Sysfs& sysfs);

// What the page cache held of a file, or of all files of a folder.
struct FileResidency {
  std::string path;
  double bytes = 0;
  double share_before = 0;
  double share_after = 0;
};

}  // namespace ridgewatt::measure
