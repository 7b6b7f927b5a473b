// The memory that a workload needs, and the memory that the board has left. CPU and GPU share it;
// of a discrete GPU its own memory counts, in which framework and loader take no part.
//
//   needed = tensors + workspace + framework + CUDA context + cuDNN + loader
//   free   = what Linux reports minus what the system holds
//   fits   = needed <= free
//
// Tensors are counted (parameters, gradients and the optimizer's state, and the activations alive
// or saved); the workspace is the unrolled input of the largest convolution. The rest are constants
// of the runtime, each with its source. Swap does not count.
#pragma once

#include <span>
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
// Of a runtime: framework, cuda_context, cudnn, worker.
std::span<const MemoryConstant> runtime_memory(Runtime runtime);

struct MemoryFootprint {
  double tensors_bytes = 0;
  double workspace_bytes = 0;
  double framework_bytes = 0;
  double context_bytes = 0;
  double cudnn_bytes = 0;
  double loader_bytes = 0;  // worker processes and the minibatches that they hold ready
  double system_bytes = 0;  // held before the workload starts
  double board_bytes = 0;   // that Linux reports

  double needed_bytes() const {
    return tensors_bytes + workspace_bytes + framework_bytes + context_bytes + cudnn_bytes +
           loader_bytes;
  }
  double free_bytes() const { return board_bytes - system_bytes; }
  bool fits() const { return needed_bytes() <= free_bytes(); }
};

// Of one minibatch on the board of `twin`, in the runtime that the twin models.
MemoryFootprint memory_footprint(const Twin& twin, const workload::WorkloadCost& cost,
                                 const RunOptions& options = {});

}  // namespace ridgewatt::twin

#pragma GCC visibility pop
