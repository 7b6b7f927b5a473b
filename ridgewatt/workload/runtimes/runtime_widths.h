// In which arithmetic the kernels of a runtime compute, and how wide their tensors are.
#pragma once

#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Sets widths, arithmetic and the kernels' precision. In INT8 without quantization in the graph the
// convolutions and products with weights multiply 8-bit integers (marked so in the plan), what they
// read is stored in 8 bits, even before it is pooled or moved, and all else is in the fallback.
// With quantization in the graph it says what is in INT8.
void set_arithmetic(ExecutionPlan& plan, const ValueGraph& graph, const RuntimeTarget& target,
                    RuntimeKernels& lowered);

}  // namespace ridgewatt::workload
