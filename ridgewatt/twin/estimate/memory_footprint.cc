#include "ridgewatt/twin/memory_footprint.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {
namespace {

// A loader worker is a fork of the framework that feeds the runtime.
constexpr MemoryConstant kWorker = {
    "worker", 3.8 * kMemoryMiB,
    "a forked loader worker's own pages: 3.8 MB "
    "(github.com/ppwwyyxx/RAM-multiprocess-dataloader, main-fork-numpyserialize-log.txt)"};

// Minibatches that each loader worker prefetches: prefetch_factor of PyTorch's DataLoader.
constexpr double kPrefetched = 2;

}  // namespace

std::array<MemoryConstant, 4> runtime_memory(Runtime runtime) {
  const RuntimeMemory& of = kRuntimeRows[runtime].memory;
  return {{{"framework", of.framework.bytes, of.framework.source},
           {"cuda_context", of.cuda_context.bytes, of.cuda_context.source},
           {"cudnn", of.cudnn.bytes, of.cudnn.source},
           kWorker}};
}

MemoryFootprint memory_footprint(const Twin& twin, const workload::WorkloadCost& cost,
                                 const RunOptions& options) {
  const auto constants = runtime_memory(cost.runtime);
  MemoryFootprint memory;
  memory.tensors_bytes = cost.peak_memory_bytes;
  memory.workspace_bytes = cost.workspace_bytes;
  memory.context_bytes = constants[1].bytes;
  memory.cudnn_bytes = constants[2].bytes;
  if (!twin.discrete) {
    memory.framework_bytes = constants[0].bytes;
    memory.loader_bytes =
        options.loader_workers * (constants[3].bytes + kPrefetched * cost.input_bytes);
  }
  memory.system_bytes = twin.system_memory_bytes;
  memory.board_bytes = twin.memory_bytes;
  return memory;
}

}  // namespace ridgewatt::twin
