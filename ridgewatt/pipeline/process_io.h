// What a process has read and written, as the kernel counts it (/proc/PID/io).
#pragma once

#include <sys/types.h>

#include <optional>

namespace ridgewatt::pipeline {

// Of a process and of the children that it has waited for.
struct ProcessIo {
  double read_calls = 0;
  double read_bytes = 0;  // through system calls, from wherever
  double write_calls = 0;
  double written_bytes = 0;
  double storage_read_bytes = 0;
  double storage_written_bytes = 0;
};
ProcessIo& operator+=(ProcessIo& total, const ProcessIo& part);
ProcessIo operator-(const ProcessIo& after, const ProcessIo& before);

// Nothing where the kernel does not count, or not for us. A process that ended is still counted
// until it is waited for.
std::optional<ProcessIo> read_process_io(pid_t process);
// Of this process since it began; zeros where the kernel does not count.
ProcessIo own_io();

}  // namespace ridgewatt::pipeline
