// Groups the steps of a plan into kernels, as inference runtimes do:
//
// * Element-wise work joins the kernel that produces its input if both have the same number of
//   elements. A batch normalization after a convolution is folded into it.
// * Reductions along the last axis (softmax and layer normalization, expanded or not) and
//   element-wise work on the same rows share a kernel that keeps the rows on chip.
// * Views and constants cost nothing.
//
// If several kernels produce the inputs of a step, the step can join only the latest of them.
// Therefore no kernel waits for a later one.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

struct Kernel {
  std::vector<int> steps;  // indices in the plan; the first step is the main work of the kernel
  int scope = 0;
  // Number of results. Element-wise work that joins must have the same number. 0: nothing joins.
  double elements = 0;
  double row_length = 0;   // length of the rows kept on chip; 0: none
  bool pointwise = false;  // all steps so far are element-wise or work on rows
};

struct FusionOptions {
  bool enabled = true;  // false: every step is a kernel
  WorkloadKind kind = WorkloadKind::kInference;
};

struct Kernels {
  std::vector<Kernel> kernels;  // in execution order
  std::vector<int> kernel_of;   // kernel of each step; -1 for a step that is in no kernel
};

Kernels fuse(const ExecutionPlan& plan, const FusionOptions& options = {});

// True if `op` is one of the names in `ops`, which are separated by "|".
bool is_among(std::string_view op, std::string_view ops);

}  // namespace ridgewatt::workload
