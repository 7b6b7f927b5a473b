// Determines the arithmetic of a runtime's kernels and the widths of their tensors.
#pragma once

#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Sets the widths, the arithmetic and the precision of each kernel. If the graph contains
// quantization, it determines which steps use INT8. For INT8 without quantization in the graph,
// convolutions and products with weights multiply 8-bit integers and are marked in the plan. Their
// inputs are stored in 8 bits, even if pooling or data movement comes in between. Everything else
// uses the fallback precision of the target.
void set_arithmetic(ExecutionPlan& plan, const ValueGraph& graph, const RuntimeTarget& target,
                    RuntimeKernels& lowered);

}  // namespace ridgewatt::workload
