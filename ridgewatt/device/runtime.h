// The software that runs a model on a board. Time, power and energy depend on it as much as on the
// board, so every modelled row names its runtime. Other modules have further tables by runtime:
// fusion rules and usual precisions (workload/runtimes/fusion_rules.cc), memory
// (twin/estimate/memory_footprint.cc) and priors of parameters (twin/fit/runtime_priors.h).
#pragma once

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
};

struct RuntimeRow {
  Runtime id;
  std::string_view name;
  // Runs one operator at a time. Twins are fitted to this runtime, and only it supports training.
  bool eager;
  bool engine;  // runs an exported graph and can be called from C++
  // Multiplies numbers with fewer than 16 bits. If false, such numbers are converted and multiplied
  // in floating point.
  bool narrow;
  bool on_cpu = false;  // runs only on the CPU of a board without a GPU
};
inline constexpr auto kRuntimeRows = enum_rows<RuntimeRow>(
    {{Runtime::kPytorchEager, "pytorch-eager", true, false, true},
     {Runtime::kTorchscript, "torchscript", false, false, false},
     {Runtime::kTorchCompile, "torch-compile", false, false, false},
     {Runtime::kOnnxRuntime, "onnxruntime", false, true, false},
     {Runtime::kTensorRt, "tensorrt", false, true, true},
     {Runtime::kOnnxRuntimeCpu, "onnxruntime-cpu", false, true, false, true}});
inline constexpr auto kRuntimes = members_of(kRuntimeRows);
constexpr auto enum_names(Runtime) {
  return names_of(kRuntimeRows);
}
constexpr bool is_engine(Runtime runtime) {
  return kRuntimeRows[runtime].engine;
}
constexpr bool is_on_cpu(Runtime runtime) {
  return kRuntimeRows[runtime].on_cpu;
}
constexpr bool is_eager(Runtime runtime) {
  return kRuntimeRows[runtime].eager;
}

}  // namespace ridgewatt

#pragma GCC visibility pop
