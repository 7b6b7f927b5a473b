#include "ridgewatt/twin/memory_footprint.h"

#include <array>

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {
namespace {

constexpr double kMiB = 1024.0 * 1024;

// A forked loader worker is that of whatever framework feeds the runtime.
constexpr MemoryConstant kWorker = {
    "worker", 3.8 * kMiB,
    "a forked loader worker's own pages: 3.8 MB "
    "(github.com/ppwwyyxx/RAM-multiprocess-dataloader, main-fork-numpyserialize-log.txt)"};

// Loading of kernels as CUDA before 11.7 has it: all at once. Lazy loading needs less (287 instead
// of 667 MB on a device, github.com/pytorch/pytorch/pull/86509), which is not counted. TorchScript
// and torch.compile run in the same process on the same libraries.
constexpr std::array<MemoryConstant, 4> kPytorch = {{
    {"framework", 154 * kMiB,
     "a Python process that has imported torch: 154 MiB (github.com/pytorch/pytorch/issues/12873)"},
    {"cuda_context", 1122 * kMiB,
     "the first tensor on the GPU: 1122 MiB (github.com/pytorch/pytorch/issues/12873, a desktop's "
     "host memory)"},
    {"cudnn", 594 * kMiB,
     "the first convolution: 594 MiB (github.com/pytorch/pytorch/issues/12873); with the context "
     "1.7 GiB, as on a Xavier (1.7 GB, github.com/microsoft/onnxruntime/issues/10239), a Xavier NX "
     "(1.75 GB, issues/14038) and a Nano (2 GB, issues/4259)"},
    kWorker,
}};

// An upper bound: the process was reported with YOLOv5s in it, and its parts not apart.
constexpr std::array<MemoryConstant, 4> kOnnxRuntime = {{
    {"framework", 300 * kMiB,
     "a Python process that runs YOLOv5s on the CPU provider: 300 MiB "
     "(github.com/microsoft/onnxruntime/issues/14038, a Xavier NX)"},
    {"cuda_context", 1450 * kMiB,
     "what the CUDA provider adds, context, cuBLAS and cuDNN: 1750 less 300 MiB "
     "(github.com/microsoft/onnxruntime/issues/14038, a Xavier NX)"},
    {"cudnn", 0, "in cuda_context (github.com/microsoft/onnxruntime/issues/14038)"},
    kWorker,
}};

// A C++ program; through the Python API it is about twice as much (the same report). Since
// TensorRT 10 neither library is loaded by default, which is not counted.
constexpr std::array<MemoryConstant, 4> kTensorRt = {{
    {"framework", 40 * kMiB,
     "trtexec before it uses CUDA: 269 less 229 MiB (github.com/NVIDIA/TensorRT/issues/2217)"},
    {"cuda_context", 229 * kMiB,
     "its initialization of CUDA: 229 MiB (github.com/NVIDIA/TensorRT/issues/2217)"},
    {"cudnn", 423 * kMiB,
     "cuBLAS and cuDNN: 182 and 241 MiB of the device's memory, of which the process's own 159 and "
     "240 are part where CPU and GPU share it (github.com/NVIDIA/TensorRT/issues/2217)"},
    kWorker,
}};
// The library's code and its arenas, in a C++ program; no GPU takes part.
constexpr std::array<MemoryConstant, 4> kOnnxRuntimeCpu = {{
    {"framework", 60 * kMiB,
     "libonnxruntime.so of the CPU provider (46 MB in onnxruntime-node 1.30) and its tables"},
    {"cuda_context", 0, "no GPU takes part"},
    {"cudnn", 0, "no GPU takes part"},
    kWorker,
}};

struct RuntimeMemory {
  Runtime id;
  std::span<const MemoryConstant> constants;
  constexpr bool complete() const { return constants.size() == kTensorRt.size(); }
};
constexpr auto kRuntimeMemory =
    enum_rows<RuntimeMemory>({{Runtime::kPytorchEager, kPytorch},
                              {Runtime::kTorchscript, kPytorch},
                              {Runtime::kTorchCompile, kPytorch},
                              {Runtime::kOnnxRuntime, kOnnxRuntime},
                              {Runtime::kTensorRt, kTensorRt},
                              {Runtime::kOnnxRuntimeCpu, kOnnxRuntimeCpu}});

// Minibatches that each loader worker holds ready: PyTorch's DataLoader, prefetch_factor.
constexpr double kPrefetched = 2;

}  // namespace

std::span<const MemoryConstant> runtime_memory(Runtime runtime) {
  return kRuntimeMemory[runtime].constants;
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
