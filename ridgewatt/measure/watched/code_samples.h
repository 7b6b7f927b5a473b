// Finds the libraries in which a thread spends its CPU time: the kernel samples the instruction
// pointer, once per millisecond of CPU time in user space.
//
//   const AddressRanges code = runtime_code(maps);  // of the process
//   CodeSamples samples(thread);
//   while (runs) { samples.take(code); sleep(0.1); }
//   samples.runtime_share();  // 0.9: 90 % of the CPU time is in ONNX Runtime, TensorRT, ..
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::measure {

// Returns the address ranges of the code of runtimes (kKnownLibraries except Python) from the text
// of /proc/PID/maps.
using AddressRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
AddressRanges runtime_code(const std::string& maps);

class CodeSamples {
 public:
  // Without permission of the kernel, there are no samples.
  explicit CodeSamples(pid_t thread);
  // Reads the samples since the last call. `code` is the code of runtimes.
  void take(const AddressRanges& code);
  // Returns the share of samples in code of runtimes; empty if there are too few samples.
  std::optional<double> runtime_share() const;

 private:
  struct Unmap {
    void operator()(void* ring) const;
  };

  OwnedFd event_;
  std::unique_ptr<void, Unmap> ring_;
  std::uint64_t inside_ = 0, all_ = 0;
};

}  // namespace ridgewatt::measure
