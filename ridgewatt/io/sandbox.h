// Restricts this process before it reads untrusted input: a malicious model then cannot open a
// connection, start a program, write a file, or use more memory and time than allowed.
//
//   enter_sandbox({.memory_bytes = std::size_t{1} << 30, .time_s = 10});
//   const Model model = read_onnx("/dev/fd/3");
//
// The restrictions are permanent: address space, CPU time and open files are limited, core dumps
// and new privileges are disabled, and a seccomp filter rejects (EPERM) all system calls except
// those for computing, reading, and writing to descriptors that are already open (Linux 3.17,
// x86-64 and arm64; see seccomp(2)). Files can still be opened for reading. When the time is over,
// the process prints one line and exits with status 1.
#pragma once

#include <cstddef>
#include <string>

namespace ridgewatt {

struct SandboxOptions {
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space; 0: no limit
  double time_s = 60;  // wall-clock time; the limit of CPU time is this times the number of cores
  bool limits_alone = false;  // without seccomp in the kernel, use the limits only
};

// Call it before starting threads. Throws NotSupportedError if the filter is not available,
// UsageError for an invalid time.
void enter_sandbox(const SandboxOptions& options);

// Returns why the kernel cannot install the filter; empty if it can.
std::string sandbox_fault();

}  // namespace ridgewatt
