// Combines operators into the kernels that PyTorch launches in eager mode.
//
// PyTorch in eager mode runs one operator at a time, unfused. Exporters, however, expand operations
// that it runs as one kernel: x sigmoid(x) is SiLU, a layer normalization becomes nine operators,
// a linear layer becomes a product and an addition, and attention becomes up to five operators
// between transpositions, which are views. Launches dominate the time of small minibatches, so the
// expanded forms are combined again.
#pragma once

#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Combines expanded activations, normalizations, linear layers and attention (as in
// scaled_dot_product_attention of PyTorch 2), forward and backward. `unfused` is the cost of `plan`
// with unfused traffic. A combined kernel has the work of all parts and is launched once.
WorkloadCost eager_kernels(const WorkloadCost& unfused, const ExecutionPlan& plan);

// Throws NotSupportedError: training is modelled only in eager mode on a GPU.
[[noreturn]] void refuse_training(Runtime runtime);

}  // namespace ridgewatt::workload
