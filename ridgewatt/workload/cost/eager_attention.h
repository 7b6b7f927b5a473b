// Attention as PyTorch 2 runs it in eager mode: scaled_dot_product_attention is one kernel, which
// reads its operands and writes its result with strides.
#pragma once

#include <vector>

#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Combines the kernels of each attention to one in the forward and one in the backward pass, and
// removes rearrangements of its operands and of its result, which are views. `kernels` are those of
// `plan`, with unfused traffic. The backward kernel computes the scores again.
std::vector<KernelCost> with_fused_attention(const std::vector<KernelCost>& kernels,
                                             const ExecutionPlan& plan);

}  // namespace ridgewatt::workload
