// The bytes that a process has read and written, as counted by the kernel (/proc/PID/io).
#pragma once

#include <sys/types.h>

#include <optional>

namespace ridgewatt::pipeline {

// Of a process and of the children that it has waited for.
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

// Empty if the kernel does not count or does not permit reading. A process that has ended is
// counted until it is waited for.
std::optional<ProcessIo> read_process_io(pid_t process);
// Of this process since its start; zeros if the kernel does not count.
ProcessIo own_io();

}  // namespace ridgewatt::pipeline
