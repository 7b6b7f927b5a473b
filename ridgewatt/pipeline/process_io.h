// The bytes that a process has read and written, from the counters of the kernel (/proc/PID/io).
#pragma once

#include <sys/types.h>

#include <optional>

namespace ridgewatt::pipeline {

// Counts of a process and of the children for which it has waited.
struct ProcessIo {
  double read_calls = 0;
  double read_bytes = 0;  // through system calls, from any source
  double write_calls = 0;
  double written_bytes = 0;
  double storage_read_bytes = 0;
  double storage_written_bytes = 0;
};
ProcessIo& operator+=(ProcessIo& total, const ProcessIo& part);
ProcessIo operator-(const ProcessIo& after, const ProcessIo& before);

// Empty if the kernel has no counters or does not permit to read them. After a process has ended,
// they can be read until its parent waits for it.
std::optional<ProcessIo> read_process_io(pid_t process);
// Counts of this process since its start; zeros if there are no counters.
ProcessIo own_io();

}  // namespace ridgewatt::pipeline
