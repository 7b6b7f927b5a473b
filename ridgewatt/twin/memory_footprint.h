// Estimates whether a workload fits into the board's memory. On a board whose CPU and GPU share
// memory, everything counts. On a discrete GPU, only the GPU's own memory counts, without framework
// and loader.
//
//   needed = tensors + workspace + framework + CUDA context + cuDNN + loader
//   free   = memory visible to Linux - memory used by the system
//   fits   = needed <= free
//
// The tensors are parameters, gradients, optimizer state, and the activations that are alive or
// saved. The workspace is the unrolled (im2col) input of the largest convolution. The other terms
// are constants of the runtime, each with its source. Swap space does not count.
#pragma once

#include <array>
#include <string_view>

#include "ridgewatt/device/runtime.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/workload_cost.h"

#pragma GCC visibility push(default)

namespace ridgewatt::twin {

struct Twin;

// A constant of a runtime's memory, per process or per loader worker.
struct MemoryConstant {
  std::string_view name;  // "cuda_context"
  double bytes = 0;
  std::string_view source;
};
// Returns the constants framework, cuda_context, cudnn and worker of a runtime, in this order.
std::array<MemoryConstant, 4> runtime_memory(Runtime runtime);

struct MemoryFootprint {
  double tensors_bytes = 0;
  double workspace_bytes = 0;
  double framework_bytes = 0;
  double context_bytes = 0;
  double cudnn_bytes = 0;
  double loader_bytes = 0;  // worker processes and the minibatches that they prefetch
  double system_bytes = 0;  // used before the workload starts
  double board_bytes = 0;   // visible to Linux

  double needed_bytes() const {
    return tensors_bytes + workspace_bytes + framework_bytes + context_bytes + cudnn_bytes +
           loader_bytes;
  }
  double free_bytes() const { return board_bytes - system_bytes; }
  bool fits() const { return needed_bytes() <= free_bytes(); }
};

// Returns the memory for one minibatch on the board of `twin`, in the runtime `cost.runtime`.
MemoryFootprint memory_footprint(const Twin& twin, const workload::WorkloadCost& cost,
                                 const RunOptions& options = {});

}  // namespace ridgewatt::twin

#pragma GCC visibility pop
