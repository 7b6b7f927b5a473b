// The software that runs a model on a board. Time, power and energy depend on it as much as on the
// board, so every modelled row names it. Other modules hold more about a runtime: its rules of
// fusion and usual precisions (workload/runtimes/fusion_rules.cc), its memory
// (twin/estimate/memory_footprint.cc) and the priors of its parameters (twin/fit/runtime_priors.h).
#pragma once

#include <string_view>

#include "ridgewatt/base/enum_rows.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class Runtime {
  kPytorchEager,    // PyTorch, one operator at a time
  kTorchscript,     // PyTorch, a traced graph run by its interpreter
  kTorchCompile,    // PyTorch, torch.compile with the Inductor back end
  kOnnxRuntime,     // ONNX Runtime, CUDA execution provider
  kTensorRt,        // a TensorRT engine, enqueued from C++
  kOnnxRuntimeCpu,  // ONNX Runtime, CPU execution provider
};

struct RuntimeRow {
  Runtime id;
  std::string_view name;
  // Runs one operator at a time. Twins are fitted to this runtime, and it is the only one that
  // supports training.
  bool eager;
  bool engine;  // runs an exported graph, so that a C++ program can call it
  // Multiplies numbers of less than 16 bits. PyTorch's graphs and ONNX Runtime's CUDA provider
  // compute such numbers in floating point.
  bool narrow;
  bool on_cpu = false;  // runs on the processor of a board without a GPU, and on no GPU
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
