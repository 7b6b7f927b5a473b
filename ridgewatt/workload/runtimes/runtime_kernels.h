// The kernels that a runtime launches for a plan: steps fused by its rules, copies between layouts,
// widths of all tensors.
//
//   const RuntimeKernels lowered =
//       lower(plan, {.runtime = Runtime::kTensorRt, .precision = Precision::kFp16});
//
// Views and storage of `plan` become those of the runtime: tensors that it reads or writes in
// place.
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
  // The precision that an INT8, FP8 or FP4 engine uses for other operators than convolutions and
  // products.
  Precision fallback = Precision::kFp16;
};

// Properties of a kernel in addition to its steps.
struct KernelLabel {
  std::string name;  // "Conv_0 + Relu_1"
  std::string op;    // of the main work
  OpClass op_class = OpClass::kOther;
  Precision precision = Precision::kFp32;  // in which its contractions multiply
  bool blocks = false;                     // a convolution that works on blocks of channels
};

// A kernel that moves a tensor into another layout, width or place.
struct LayoutCopy {
  int before = 0;  // the kernel that needs it; the number of kernels: at the end
  int step = 0;    // of the plan, that it belongs to
  std::string name;
  TensorId source = kNoTensor;
  TensorId target = kNoTensor;  // whose part it fills, or none
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
  std::vector<LayoutCopy> copies;   // by the kernel that they come before
  std::vector<TensorId> kept;       // written even if no kernel reads them under their own name
  ElementWidths widths;
  std::vector<std::uint8_t> bits;  // by root, of a real number in memory; 0: as `widths` say
  // Where a kernel writes wider than others read, and a copy is between: bits by TensorId.
  std::vector<std::pair<TensorId, int>> written_bits;
  Precision arithmetic = Precision::kFp32;  // of floating point
  bool wide_bindings = false;               // floating-point inputs and outputs are FP32
};

RuntimeKernels lower(ExecutionPlan& plan, const RuntimeTarget& target);

}  // namespace ridgewatt::workload
