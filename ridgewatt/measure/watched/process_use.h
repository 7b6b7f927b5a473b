// What the kernel counts of processes and their machine: CPU time, waiting for a core, pages, swap,
// control groups.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::measure {

// One thread, since its start.
struct ThreadUse {
  double cpu_s = 0;
  std::optional<double> wait_s = {};  // runnable, without a core
  bool blocked = false;               // now, on storage
};

struct ProcessUse {
  pid_t parent = 0;
  double major_faults = 0;
  std::map<pid_t, ThreadUse> threads;
};

// All processes that can be seen, without their threads.
std::map<pid_t, ProcessUse> process_table();
// Those below `root`, and `root` itself unless it is this process.
std::vector<pid_t> process_tree(const std::map<pid_t, ProcessUse>& table, pid_t root);
std::map<pid_t, ThreadUse> threads_of(pid_t process);

struct MachineUse {
  double busy_s = 0;      // of all cores
  double swap_bytes = 0;  // both ways
};
// Since boot; nothing where the kernel does not show it.
std::optional<MachineUse> read_machine_use();

// The tightest limit on the CPU time of a process's control groups.
struct CpuQuota {
  std::optional<double> cores = {};  // nothing: not limited
  double periods = 0, stopped = 0;   // counted since its group was made
};
std::optional<CpuQuota> read_cpu_quota(pid_t process);
// CPUs that a process may run on.
std::optional<int> allowed_cpus(pid_t process);

// Names of kKnownLibraries that it has mapped; nothing where its maps cannot be read.
std::optional<std::vector<std::string>> libraries_of(pid_t process);
// The number of threads that its environment sets; nothing: none.
std::optional<int> threads_set(pid_t process);

// Reads "max 100000" or "150000 100000", cores; nothing for "max" and for what is neither.
std::optional<double> quota_of(const std::string& cpu_max);

}  // namespace ridgewatt::measure
