// Determines the kernels that a runtime launches for a plan: steps fused by its rules, copies
// between layouts, and the width of each tensor.
//
//   const RuntimeKernels lowered =
//       lower(plan, {.runtime = Runtime::kTensorRt, .precision = Precision::kFp16});
//
// lower() changes the views and storage of `plan` to those of the runtime, which reads and writes
// some tensors in place.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/workload/element_widths.h"
#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/kernel_fusion.h"

namespace ridgewatt::workload {

struct RuntimeTarget {
  Runtime runtime = Runtime::kTensorRt;
  Precision precision = Precision::kFp32;
  // Precision of an INT8, FP8 or FP4 engine for operators other than convolutions and products.
  Precision fallback = Precision::kFp16;
};

// Properties of a kernel in addition to its steps.
struct KernelLabel {
  std::string name;  // "Conv_0 + Relu_1"
  std::string op;    // operator of the main work
  OpClass op_class = OpClass::kOther;
  Precision precision = Precision::kFp32;  // precision of its contractions
  bool blocks = false;                     // a convolution on blocks of channels
};

// A kernel that moves a tensor into another layout, width or place.
struct LayoutCopy {
  int before = 0;  // index of the kernel that needs it; at the end: number of kernels
  int step = 0;    // step of the plan to which it belongs
  std::string name;
  TensorId source = kNoTensor;
  TensorId target = kNoTensor;  // tensor of which it fills a part; kNoTensor: none
  double elements = 0;
  double count = 1;  // executions per minibatch
  int read_bits = 32;
  int write_bits = 32;
  double read_bytes() const { return count * elements * read_bits / 8; }
  double write_bytes() const { return count * elements * write_bits / 8; }
};

struct RuntimeKernels {
  Kernels kernels;
  std::vector<KernelLabel> labels;  // one per kernel
  std::vector<LayoutCopy> copies;   // in the order of `before`
  // Tensors that are written to memory even if no kernel reads their id.
  std::vector<TensorId> kept;
  ElementWidths widths;
  std::vector<std::uint8_t> bits;  // bits of a real number in memory, by root; 0: as in `widths`
  // Bits by TensorId of tensors that are written with more bits than other kernels read. A copy
  // converts them.
  std::vector<std::pair<TensorId, int>> written_bits;
  Precision arithmetic = Precision::kFp32;  // precision of floating-point work
  bool wide_bindings = false;  // floating-point inputs and outputs of the engine are FP32
};

RuntimeKernels lower(ExecutionPlan& plan, const RuntimeTarget& target);

}  // namespace ridgewatt::workload
