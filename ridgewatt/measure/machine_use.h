// How a run used its machine, in addition to time and energy: time at each clock frequency, bytes
// read and written, and the share of given files in the page cache.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/platform/clock_times.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::measure {

// The shares of time that a clock spent at each of its frequencies, for example under a governor.
struct ClockResidency {
  std::string clock;   // "gpu", "cpu0", "emc"
  std::string source;  // "time_in_state", "trans_stat": counters of the kernel; "sampled"
  double time_s = 0;   // counted time, or time from the first sample to the end
  // Frequencies in Hz, ascending, each with its share; shares of 0 are left out.
  std::vector<std::pair<double, double>> shares;
};

// From two readings of the kernel's counters. A counter that decreased is omitted.
std::vector<ClockResidency> counted_residency(const std::vector<platform::ClockTimes>& before,
                                              const std::vector<platform::ClockTimes>& after);
// From the samples of the "clock:NAME" channels in [begin_s, end_s]; each value holds until the
// next sample. If there are more than kMostSampledClocks different frequencies, they are rounded to
// multiples of kSampledStepHz.
inline constexpr std::size_t kMostSampledClocks = 32;
inline constexpr double kSampledStepHz = 100e6;
std::vector<ClockResidency> sampled_residency(const std::vector<store::RawSample>& samples,
                                              double begin_s, double end_s);
// For each clock, the kernel's counters if available, otherwise the samples.
std::vector<ClockResidency> merge_residency(std::vector<ClockResidency> counted,
                                            const std::vector<ClockResidency>& sampled);

// Traffic of all disks of the machine from all processes (/proc/diskstats), excluding partitions,
// loop devices and RAM disks.
struct DiskIo {
  double reads = 0;  // completed read requests
  double read_bytes = 0;
  double writes = 0;
  double written_bytes = 0;
};
std::optional<DiskIo> read_disk_io(const platform::Sysfs& sysfs);

// Share of a file, or of all files in a folder, in the page cache before and after a run.
struct FileResidency {
  std::string path;
  double bytes = 0;
  double share_before = 0;
  double share_after = 0;
};

}  // namespace ridgewatt::measure
