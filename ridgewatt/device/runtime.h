// The software that runs a model on a board. Time, power and energy depend on it as much as on the
// board, so every modelled row names its runtime. A row of kRuntimeRows has all facts about a
// runtime except its fusion rules and usual precisions (workload/runtimes/fusion_rules.cc).
#pragma once

#include <array>
#include <string_view>

#include "ridgewatt/base/enum_rows.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class Runtime {
  kPytorchEager,    // PyTorch in eager mode, one operator at a time
  kTorchscript,     // PyTorch, a traced graph in the TorchScript interpreter
  kTorchCompile,    // PyTorch, torch.compile with the Inductor backend
  kOnnxRuntime,     // ONNX Runtime with the CUDA execution provider
  kTensorRt,        // TensorRT engine, enqueued from C++
  kOnnxRuntimeCpu,  // ONNX Runtime with the CPU execution provider
  kTfliteCpu,       // TensorFlow Lite with XNNPACK
};

// A published number of bytes.
struct SourcedBytes {
  double bytes = 0;
  std::string_view source;
};
struct RuntimeMemory {
  SourcedBytes framework, cuda_context, cudnn;
};

// Prior medians of a runtime's parameters, in the units of twin::RuntimeParam. The defaults are the
// medians of pytorch-eager. They apply to inference on boards with a scaled twin, because such
// boards run a newer PyTorch than that of the fitted sweeps. The medians reflect these facts:
// TorchScript interprets a traced graph without Python; compiled code and engines enqueue kernels
// in microseconds; engines choose the fastest of several measured kernels; the other runtimes use
// the same libraries as PyTorch.
struct RuntimePriors {
  double launch = 1, run = 1, caller = 1, thin_caller = 0.15, kernel = 1, graph = 0.6, traffic = 1;
  double fill = 1, short_macs = 64, narrow_columns = 16, on_chip = 0.5;
  double conv_fp32 = 1, conv_fp16 = 1, conv_int8 = 1;
  double product_fp32 = 1, product_fp16 = 1, product_int8 = 1;
  double depthwise = 1;
  bool window_on_chip = false;  // depthwise kernels read each input element from memory once
};

struct RuntimeRow {
  Runtime id;
  std::string_view name;
  std::array<std::string_view, 4> words = {};  // other names that users type
  std::string_view library;  // library that identifies it in a process: measure::kKnownLibraries
  // Name of the trace::TraceSource that records this runtime. Empty: none.
  std::string_view recording = {};
  // Runs one operator at a time. Twins are fitted to it, and no other runtime supports training.
  bool eager = false;
  bool engine = false;  // runs an exported graph and can be called from C++
  // Whether it multiplies numbers with fewer than 16 bits. If not, it converts such numbers and
  // multiplies in floating point.
  bool narrow = false;
  bool on_cpu = false;  // runs only on the CPU of a board without a GPU
  RuntimeMemory memory;
  RuntimePriors priors = {};  // unused if `on_cpu`: see twin/cpu_twin.h

  constexpr bool complete() const {
    return !library.empty() && !memory.framework.source.empty() &&
           !memory.cuda_context.source.empty() && !memory.cudnn.source.empty();
  }
};

inline constexpr double kMemoryMiB = 1024.0 * 1024;

// Memory of PyTorch, also for TorchScript and torch.compile. All kernels are loaded at the start,
// as by CUDA before 11.7. Lazy loading needs less (287 instead of 667 MB on a device,
// github.com/pytorch/pytorch/pull/86509) and is not modelled.
inline constexpr RuntimeMemory kPytorchMemory = {
    .framework = {154 * kMemoryMiB,
                  "a Python process that has imported torch: 154 MiB "
                  "(github.com/pytorch/pytorch/issues/12873)"},
    .cuda_context = {1122 * kMemoryMiB,
                     "the first tensor on the GPU: 1122 MiB "
                     "(github.com/pytorch/pytorch/issues/12873, a desktop's "
                     "host memory)"},
    .cudnn = {
        594 * kMemoryMiB,
        "the first convolution: 594 MiB (github.com/pytorch/pytorch/issues/12873); with the "
        "context 1.7 GiB, as on a Xavier (1.7 GB, github.com/microsoft/onnxruntime/issues/10239), "
        "a Xavier NX (1.75 GB, issues/14038) and a Nano (2 GB, issues/4259)"}};

// Memory of the libraries of a GPU, for runtimes on a processor.
inline constexpr SourcedBytes kNoGpu = {0, "no GPU takes part"};

inline constexpr auto kRuntimeRows = enum_rows<RuntimeRow>({
    {.id = Runtime::kPytorchEager,
     .name = "pytorch-eager",
     .words = {"torch", "pytorch", "eager"},
     .library = "PyTorch",
     .recording = "pytorch-profiler",
     .eager = true,
     .narrow = true,
     .memory = kPytorchMemory},
    {.id = Runtime::kTorchscript,
     .name = "torchscript",
     .words = {"jit"},
     .library = "PyTorch",
     .memory = kPytorchMemory,
     .priors = {.launch = 0.6,
                .conv_fp16 = 0.8,
                .conv_int8 = 0.6,
                .product_fp16 = 0.7,
                .product_int8 = 0.6}},
    {.id = Runtime::kTorchCompile,
     .name = "torch-compile",
     .words = {"inductor", "pytorch-compile", "torch.compile"},
     .library = "PyTorch",
     .memory = kPytorchMemory,
     .priors = {.launch = 0.4,
                .kernel = 0.8,
                .traffic = 0.9,
                .conv_fp16 = 0.8,
                .conv_int8 = 0.6,
                .product_fp16 = 0.7,
                .product_int8 = 0.6}},
    // The memory is an upper bound: it was reported for a process that runs YOLOv5s, and only as a
    // total.
    {.id = Runtime::kOnnxRuntime,
     .name = "onnxruntime",
     .words = {"ort"},
     .library = "ONNX Runtime",
     .recording = "onnxruntime",
     .engine = true,
     .memory = {.framework = {300 * kMemoryMiB,
                              "a Python process that runs YOLOv5s on the CPU provider: 300 MiB "
                              "(github.com/microsoft/onnxruntime/issues/14038, a Xavier NX)"},
                .cuda_context = {1450 * kMemoryMiB,
                                 "what the CUDA provider adds, context, cuBLAS and cuDNN: 1750 "
                                 "less 300 MiB (github.com/microsoft/onnxruntime/issues/14038, a "
                                 "Xavier NX)"},
                .cudnn = {0, "in cuda_context (github.com/microsoft/onnxruntime/issues/14038)"}},
     .priors = {.launch = 0.25,
                .run = 0.5,
                .caller = 1.5,
                .kernel = 0.8,
                .traffic = 0.9,
                .conv_fp16 = 0.8,
                .conv_int8 = 0.6,
                .product_fp32 = 0.8,
                .product_fp16 = 0.7,
                .product_int8 = 0.6}},
    // The memory is that of a C++ program. The same report states about twice as much for Python.
    // Since TensorRT 10, cuBLAS and cuDNN are not loaded by default. This is not modelled.
    {.id = Runtime::kTensorRt,
     .name = "tensorrt",
     .words = {"trt"},
     .library = "TensorRT",
     .recording = "trtexec",
     .engine = true,
     .narrow = true,
     .memory = {.framework = {40 * kMemoryMiB,
                              "trtexec before it uses CUDA: 269 less 229 MiB "
                              "(github.com/NVIDIA/TensorRT/issues/2217)"},
                .cuda_context = {229 * kMemoryMiB,
                                 "its initialization of CUDA: 229 MiB "
                                 "(github.com/NVIDIA/TensorRT/issues/2217)"},
                .cudnn = {423 * kMemoryMiB,
                          "cuBLAS and cuDNN: 182 and 241 MiB of the device's memory, of which the "
                          "process's own 159 and 240 are part where CPU and GPU share it "
                          "(github.com/NVIDIA/TensorRT/issues/2217)"}},
     .priors = {.launch = 0.06,
                .run = 0.15,
                .caller = 1.5,
                .kernel = 0.5,
                .traffic = 0.8,
                .fill = 0.7,
                .conv_fp16 = 0.9,
                .conv_int8 = 0.7,
                .product_fp32 = 0.8,
                .product_fp16 = 0.7,
                .product_int8 = 0.6,
                .depthwise = 1.2,
                .window_on_chip = true}},
    // The memory is the code of the library and its arenas, in a C++ program.
    {.id = Runtime::kOnnxRuntimeCpu,
     .name = "onnxruntime-cpu",
     .library = "ONNX Runtime",
     .recording = "onnxruntime",
     .engine = true,
     .on_cpu = true,
     .memory = {.framework = {60 * kMemoryMiB,
                              "libonnxruntime.so of the CPU provider (46 MB in onnxruntime-node "
                              "1.30) and its tables"},
                .cuda_context = kNoGpu,
                .cudnn = kNoGpu}},
    {.id = Runtime::kTfliteCpu,
     .name = "tflite-cpu",
     .words = {"tflite", "xnnpack"},
     .library = "TensorFlow Lite",
     .engine = true,
     .on_cpu = true,
     .memory = {.framework = {4 * kMemoryMiB,
                              "libtensorflowlite_c.so 2.9 of x86-64, which contains XNNPACK (3.9 "
                              "MB in tfjs-tflite-node 0.0.2)"},
                .cuda_context = kNoGpu,
                .cudnn = kNoGpu}},
});
inline constexpr auto kRuntimes = members_of(kRuntimeRows);
constexpr auto enum_names(Runtime) {
  return names_of(kRuntimeRows);
}
constexpr auto& enum_words(Runtime) {  // base/suggest.h
  return kRuntimeRows;
}
constexpr bool is_engine(Runtime runtime) {
  return kRuntimeRows[runtime].engine;
}
constexpr bool is_on_cpu(Runtime runtime) {
  return kRuntimeRows[runtime].on_cpu;
}
constexpr std::string_view library_of(Runtime runtime) {
  return kRuntimeRows[runtime].library;
}
constexpr bool is_eager(Runtime runtime) {
  return kRuntimeRows[runtime].eager;
}

}  // namespace ridgewatt

#pragma GCC visibility pop
