// The values of a board's knob files, and writing them in the order that the kernel requires:
//   Cores are switched on before clocks are set, and switched off after.
//   To raise a range, its maximum is written first; to lower it, its minimum.
//   To raise the memory clock, its cap is written first, then its rate; a lock then holds the rate.
//   The GPU stays powered while its clock changes.
// The same code sets a mode, restores a mode, and lists the writes of a dry run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// Settings of one clock. The board keeps the current value of an absent member.
struct ClockSettings {
  std::string folder;  // of the cpufreq policy or devfreq device
  std::optional<std::string> governor;
  std::optional<double> minimum;  // in the unit of the file
  std::optional<double> maximum;
  std::optional<std::string> request;  // clock of the userspace governor
};

struct FileSetting {
  std::string path;
  std::string value;
};

struct ModeSettings {
  std::map<int, bool> cpus_online;
  std::vector<ClockSettings> cpus;
  std::vector<ClockSettings> devfreq;    // GPUs, and the memory if it is a devfreq device
  std::optional<std::string> gpu_power;  // power/control at the end; "on" during the change
  std::optional<std::string> tpc_mask;
  std::optional<std::string> emc_cap;   // Hz
  std::optional<std::string> emc_rate;  // Hz
  std::optional<bool> emc_locked;
  std::vector<FileSetting> others;  // other clocks of a preset, in order
};

// Returns the content of a file; empty if there is none.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// Reads all settings through `read`, which is called only for files that a mode may change.
ModeSettings read_mode_settings(const JetsonLayout& layout, const FileReader& read);

struct WriteRecord {
  std::string path;
  std::string value;
};

// A value that was read back and differs from the written value.
struct ReadBack {
  std::string path;
  std::string wanted;
  std::string found;
};

struct WriteSummary {
  std::vector<WriteRecord> writes;  // in order, without values that were already set
  std::vector<ReadBack> changed;    // values that the board rounded or ignored
};

struct WriteOptions {
  bool dry_run = false;  // lists the writes without making them
  // Called before each write; may throw to stop.
  std::function<void()> before_write;
};

// At the first rejected write, throws PermissionError or IoError that names the file. Earlier
// writes are not undone; the caller must restore.
WriteSummary write_mode_settings(Sysfs& sysfs, const JetsonLayout& layout,
                                 const ModeSettings& settings, const WriteOptions& options = {});

}  // namespace ridgewatt::platform
