// Explicit quantization: QuantizeLinear and DequantizeLinear around an operator on real numbers
// mean that a runtime computes it with 8-bit integers.
#pragma once

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

// Marks such steps as integer work, for inference:
// * Contractions whose operands are both dequantized from 8 bits or fewer.
// * Any other operator whose operands all are, and whose results are quantized directly.
// The conversions around them are part of their kernel, and so are Relu and Clip before a
// quantization, which saturates anyway: such steps become views, and the kernel reads and writes
// the 8-bit tensors. A dequantization with another consumer remains a kernel.
void absorb_quantization(ExecutionPlan& plan);

// The tensor in memory that a step reads: the 8-bit tensor before a dequantization that the step
// performs itself, otherwise the root of the tensor.
TensorId operand_root(const ExecutionPlan& plan, const Step& step, TensorId id);

}  // namespace ridgewatt::workload
