// Selects the processes to show: those with GPU memory, and those that use the most CPU time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ridgewatt/monitor/monitor.h"

namespace ridgewatt::monitor {

// Parses "PID (NAME) S .." from /proc/PID/stat; the name may contain any characters.
struct ProcessTimes {
  Process process;   // number, name and resident memory
  double cpu_s = 0;  // of all its threads, since its start
};
std::optional<ProcessTimes> parse_process(const std::string& stat);

class ProcessWatch {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr double kLeastShare = 0.02;  // of a core

  explicit ProcessWatch(const platform::Sysfs& sysfs) : sysfs_(sysfs) {}
  // At most kMost processes: those with GPU memory first, then by CPU time since the last call.
  std::vector<Process> look(double now_s);

 private:
  std::map<int, double> gpu_memory() const;

  const platform::Sysfs& sysfs_;
  std::map<int, double> cpu_s_;  // at the last call
  double last_s_ = 0;
};

}  // namespace ridgewatt::monitor
