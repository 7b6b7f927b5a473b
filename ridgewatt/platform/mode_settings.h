// The values of a board's knob files, and writing them in the order that the kernel wants:
//   cores on before clocks, clocks before cores off;
//   a range upwards: maximum then minimum, downwards: minimum then maximum;
//   memory upwards: cap, then rate; the rate is held by its lock;
//   the GPU is kept powered while its clock changes.
// The same code sets a mode, restores what was there, and prints what it would do.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// What is absent stays as it is.
struct ClockSettings {
  std::string folder;  // of the cpufreq policy or devfreq device
  std::optional<std::string> governor;
  std::optional<double> minimum;  // in the unit of the files
  std::optional<double> maximum;
  std::optional<std::string> request;  // of the userspace governor
};

struct FileSetting {
  std::string path;
  std::string value;
};

struct ModeSettings {
  std::map<int, bool> cpus_online;
  std::vector<ClockSettings> cpus;
  std::vector<ClockSettings> devfreq;    // GPUs, and the memory where it is a devfreq device
  std::optional<std::string> gpu_power;  // power/control afterwards; it is "on" in between
  std::optional<std::string> tpc_mask;
  std::optional<std::string> emc_cap;   // Hz
  std::optional<std::string> emc_rate;  // Hz
  std::optional<bool> emc_locked;
  std::vector<FileSetting> others;  // further clocks of a preset, in order
};

// Text of a file, or nothing.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// All settings, as `read` returns them. Only files that a mode may change are read.
ModeSettings read_mode_settings(const JetsonLayout& layout, const FileReader& read);

struct WriteRecord {
  std::string path;
  std::string value;
};

// A value that the board took differently from what was written.
struct ReadBack {
  std::string path;
  std::string wanted;
  std::string found;
};

struct WriteSummary {
  std::vector<WriteRecord> writes;  // in order; values that were there already are not written
  std::vector<ReadBack> changed;    // by the board: rounded or ignored
};

struct WriteOptions {
  bool dry_run = false;  // records the writes and makes none
  // Called before each write; may throw to stop.
  std::function<void()> before_write;
};

// Throws PermissionError or IoError naming the file at the first write that is refused; what was
// written until then stays (the caller restores).
WriteSummary write_mode_settings(Sysfs& sysfs, const JetsonLayout& layout,
                                 const ModeSettings& settings, const WriteOptions& options = {});

}  // namespace ridgewatt::platform
