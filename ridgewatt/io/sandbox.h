// Restricts this process before it reads untrusted input. A model from an unknown source then
// cannot open a connection, start a program, write a file, or use more memory and time than
// allowed.
//
//   enter_sandbox({.memory_bytes = std::size_t{1} << 30, .time_s = 10});
//   const Model model = read_onnx("/dev/fd/3");
//
// The restrictions are permanent: address space and CPU time are limited, there are no core dumps,
// no program gains privileges, and a seccomp filter rejects (EPERM) all system calls except those
// that compute, read, or write to descriptors that are already open (Linux 3.17, x86-64 and arm64;
// see seccomp(2)). Files can still be read. When the time is over, the process prints one line and
// exits with status 1.
#pragma once

#include <cstddef>
#include <string>

namespace ridgewatt {

struct SandboxOptions {
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space; 0: no limit
  double time_s = 60;                               // wall-clock time; CPU time: on every core
  bool limits_alone = false;                        // continue if the kernel has no seccomp
};

// Call it before starting threads: of the threads that already run, only the caller is timed.
// Throws NotSupportedError if the kernel rejects the filter, UsageError for invalid limits.
void enter_sandbox(const SandboxOptions& options);

// The reason why enter_sandbox() would fail; empty if it would succeed.
std::string sandbox_fault();

}  // namespace ridgewatt
