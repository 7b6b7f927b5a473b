// Locks this process in before it reads what it does not trust: a model that somebody sent cannot
// make it open a connection, start a program, write a file, or take more memory and time than it
// was given.
//
//   enter_sandbox({.memory_bytes = std::size_t{1} << 30, .time_s = 10});
//   const Model model = read_onnx("/dev/fd/3");
//
// From then on, for good: address space and CPU time are limited, nothing dumps core, no program
// gains privileges, and a seccomp filter refuses (EPERM) all system calls but those that compute,
// read, and write to descriptors that are open already (Linux 3.17, x86-64 and arm64; see
// seccomp(2)). Files can be read as before. When the time is over the process says so in one line
// and ends with status 1.
#pragma once

#include <cstddef>
#include <string>

namespace ridgewatt {

struct SandboxOptions {
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space; 0: no limit
  double time_s = 60;                               // by the clock; CPU time: on every core
  bool limits_alone = false;                        // goes on where the kernel has no seccomp
};

// Call it before threads are started: of those that run already only the caller is timed. Throws
// NotSupportedError where the kernel refuses the filter, UsageError for limits that make no sense.
void enter_sandbox(const SandboxOptions& options);

// Why enter_sandbox() would be refused; empty where it would not.
std::string sandbox_fault();

}  // namespace ridgewatt
