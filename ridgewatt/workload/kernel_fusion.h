// Groups the steps of a plan into kernels, as inference runtimes do on this hardware:
//
// * Element-wise work joins the kernel that produces its input if it has one element for each of
//   the producer's; so does a batch normalization, which folds into a convolution before it.
// * Reductions along the last axis (softmax, layer normalization, spelled out or not) and
//   element-wise work on the same rows share a kernel that keeps the rows on chip.
// * Views and constants cost nothing.
// A step joins only the latest kernel among those that its inputs come from, so that no kernel
// waits for a later one.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

struct Kernel {
  std::vector<int> steps;  // indices in the plan; the first one is the kernel's main work
  int scope = 0;
  double elements = 0;     // of the grid of results that element-wise work may join
  double row_length = 0;   // of the rows kept on chip; 0: none
  bool pointwise = false;  // all steps so far are element-wise or along rows
};

struct FusionOptions {
  bool enabled = true;  // false: every step is a kernel
  WorkloadKind kind = WorkloadKind::kInference;
};

struct Kernels {
  std::vector<Kernel> kernels;  // in the order in which they run
  std::vector<int> kernel_of;   // by step; -1 for steps that are not kernels
};

Kernels fuse(const ExecutionPlan& plan, const FusionOptions& options = {});

// True when `op` is one of the names in `ops`, which | separates.
bool is_among(std::string_view op, std::string_view ops);

}  // namespace ridgewatt::workload
