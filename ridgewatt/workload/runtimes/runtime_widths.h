// Determines the arithmetic of a runtime's kernels and the widths of their tensors.
#pragma once

#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Sets widths, arithmetic and the kernels' precision. In INT8 without quantization in the graph,
// the convolutions and products with weights multiply 8-bit integers (marked in the plan), their
// inputs are stored in 8 bits, even before pooling or moving, and everything else uses the
// fallback. Quantization in the graph determines what is in INT8.
void set_arithmetic(ExecutionPlan& plan, const ValueGraph& graph, const RuntimeTarget& target,
                    RuntimeKernels& lowered);

}  // namespace ridgewatt::workload
