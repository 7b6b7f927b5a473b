// What runs a model on a board. Time, power and energy depend on it as on the board itself, so that
// every modelled row names it.
#pragma once

#include <array>

#include "ridgewatt/base/enum_names.h"

namespace ridgewatt {

enum class Runtime {
  kPytorchEager,  // PyTorch, one operator at a time
  kTorchscript,   // PyTorch, a traced graph run by its interpreter
  kTorchCompile,  // PyTorch, torch.compile with the Inductor back end
  kOnnxRuntime,   // ONNX Runtime, CUDA execution provider
  kTensorRt,      // a TensorRT engine, enqueued from C++
};
inline constexpr std::array<Runtime, 5> kRuntimes = {Runtime::kPytorchEager, Runtime::kTorchscript,
                                                     Runtime::kTorchCompile, Runtime::kOnnxRuntime,
                                                     Runtime::kTensorRt};
// Runs an exported graph, not a Python program's operators: whoever calls it may be C++.
constexpr bool is_engine(Runtime runtime) {
  return runtime == Runtime::kOnnxRuntime || runtime == Runtime::kTensorRt;
}
constexpr auto enum_names(Runtime) {
  return named<Runtime>({{Runtime::kPytorchEager, "pytorch-eager"},
                         {Runtime::kTorchscript, "torchscript"},
                         {Runtime::kTorchCompile, "torch-compile"},
                         {Runtime::kOnnxRuntime, "onnxruntime"},
                         {Runtime::kTensorRt, "tensorrt"}});
}

}  // namespace ridgewatt
