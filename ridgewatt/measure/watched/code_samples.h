// In which libraries a thread computes: its place in the code, sampled by the kernel.
//
//   CodeSamples samples(process);            // of its main thread
//   while (runs) { samples.take(); sleep(0.1); }
//   samples.runtime_share();                 // 0.9: of its CPU time in ONNX Runtime, TensorRT ..
//
// A sample is taken per millisecond of CPU time outside of the kernel.
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

// Addresses of the code of runtimes (kKnownLibraries but Python), by the text of /proc/PID/maps.
using AddressRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
AddressRanges runtime_code(const std::string& maps);

class CodeSamples {
 public:
  // Takes no samples where the kernel refuses them.
  explicit CodeSamples(pid_t process);
  // Those since the last call.
  void take();
  // Nothing: too few samples.
  std::optional<double> runtime_share() const;

 private:
  struct Unmap {
    void operator()(void* ring) const;
  };

  pid_t process_;
  OwnedFd event_;
  std::unique_ptr<void, Unmap> ring_;
  AddressRanges code_;
  int takes_ = 0;
  std::uint64_t inside_ = 0, all_ = 0;
};

}  // namespace ridgewatt::measure
