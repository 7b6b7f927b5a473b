// Counters of the kernel for processes and the whole machine: CPU time, waiting for a core, page
// faults, swap, limits of control groups.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::measure {

// Counters of a thread since its start.
struct ThreadUse {
  double cpu_s = 0;
  std::optional<double> wait_s = {};  // time it was runnable without a core; empty: unknown
  bool blocked = false;               // currently blocked on storage
};

struct ProcessUse {
  pid_t parent = 0;
  double major_faults = 0, minor_faults = 0;
  std::map<pid_t, ThreadUse> threads;
};

// All visible processes, without their threads.
std::map<pid_t, ProcessUse> process_table();
// The descendants of `root`, and `root` itself unless it is the current process.
std::vector<pid_t> process_tree(const std::map<pid_t, ProcessUse>& table, pid_t root);
std::map<pid_t, ThreadUse> threads_of(pid_t process);

struct MachineUse {
  double busy_s = 0;      // CPU time of all cores
  double swap_bytes = 0;  // read and written
};
// Counters since boot; empty if the kernel does not show them.
std::optional<MachineUse> read_machine_use();

// The tightest CPU limit among the control groups of a process.
struct CpuQuota {
  std::optional<double> cores = {};  // empty: no limit
  // Number of periods since the group was created, and of periods in which the limit stopped it.
  double periods = 0, stopped = 0;
};
std::optional<CpuQuota> read_cpu_quota(pid_t process);
// Number of CPUs on which a process may run.
std::optional<int> allowed_cpus(pid_t process);

// The text of /proc/PID/maps; empty if it cannot be read.
std::string maps_of(pid_t process);
// Names of the kKnownLibraries in the text of /proc/PID/maps; empty optional for an empty text.
std::optional<std::vector<std::string>> libraries_in(const std::string& maps);
// The number of files that a process has open for writing and whose names belong to a profiler.
std::optional<int> profile_files(pid_t process);
bool is_profile_file(const std::string& path);
// The number of threads set in the environment of a process; empty: none.
std::optional<int> threads_set(pid_t process);

// The limit in cores from a cpu.max file ("150000 100000"); empty for "max 100000" and for invalid
// text.
std::optional<double> quota_of(const std::string& cpu_max);
// Returns the folder of a control group below /sys/fs/cgroup from a line of /proc/PID/cgroup. Empty
// unless the line is of version 2 or of the CPU controller of version 1.
std::string cpu_group_of(const std::string& line);

}  // namespace ridgewatt::measure
