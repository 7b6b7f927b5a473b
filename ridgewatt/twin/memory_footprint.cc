#include "ridgewatt/twin/memory_footprint.h"

#include <array>

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::twin {
namespace {

constexpr double kMiB = 1024.0 * 1024;

// Loading of kernels as CUDA before 11.7 has it: all at once. Lazy loading needs less (287 instead
// of 667 MB on a device, github.com/pytorch/pytorch/pull/86509), which is not counted.
constexpr std::array<MemoryConstant, 4> kPytorchEager = {{
    {"framework", 154 * kMiB,
     "a Python process that has imported torch: 154 MiB (github.com/pytorch/pytorch/issues/12873)"},
    {"cuda_context", 1122 * kMiB,
     "the first tensor on the GPU: 1122 MiB (github.com/pytorch/pytorch/issues/12873, a desktop's "
     "host memory)"},
    {"cudnn", 594 * kMiB,
     "the first convolution: 594 MiB (github.com/pytorch/pytorch/issues/12873); with the context "
     "1.7 GiB, as on a Xavier (1.7 GB, github.com/microsoft/onnxruntime/issues/10239), a Xavier NX "
     "(1.75 GB, issues/14038) and a Nano (2 GB, issues/4259)"},
    {"worker", 3.8 * kMiB,
     "a forked loader worker's own pages: 3.8 MB "
     "(github.com/ppwwyyxx/RAM-multiprocess-dataloader, main-fork-numpyserialize-log.txt)"},
}};
// Minibatches that each loader worker holds ready: PyTorch's DataLoader, prefetch_factor.
constexpr double kPrefetched = 2;

}  // namespace

std::span<const MemoryConstant> runtime_memory(Runtime runtime) {
  switch (runtime) {
    case Runtime::kPytorchEager:
    case Runtime::kTorchscript:
    case Runtime::kTorchCompile:
    case Runtime::kOnnxRuntime:
    case Runtime::kTensorRt:
      return kPytorchEager;
  }
  return {};
}

MemoryFootprint memory_footprint(const Twin& twin, const workload::WorkloadCost& cost,
                                 const RunOptions& options) {
  const auto constants = runtime_memory(cost.runtime);
  MemoryFootprint memory;
  memory.tensors_bytes = cost.peak_memory_bytes;
  memory.workspace_bytes = cost.workspace_bytes;
  memory.framework_bytes = constants[0].bytes;
  memory.context_bytes = constants[1].bytes;
  memory.cudnn_bytes = constants[2].bytes;
  memory.loader_bytes =
      options.loader_workers * (constants[3].bytes + kPrefetched * cost.input_bytes);
  memory.system_bytes = twin.system_memory_bytes;
  memory.board_bytes = twin.memory_bytes;
  return memory;
}

}  // namespace ridgewatt::twin
