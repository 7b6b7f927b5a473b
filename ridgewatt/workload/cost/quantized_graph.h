// Quantization that is spelled out: QuantizeLinear and DequantizeLinear around an operator on real
// numbers say that a runtime computes it with 8-bit integers.
#pragma once

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

// Marks such steps as integer work, for inference:
// * Contractions whose operands are both dequantized from 8 bits or fewer.
// * Any other operator all of whose operands are, and whose results are quantized at once.
// The conversions around them are part of their kernel and so are Relu and Clip before a
// quantization, which saturates anyhow: such steps become views, and the kernel reads and writes
// the 8-bit tensors. A dequantization that another operator needs, too, stays a kernel.
void absorb_quantization(ExecutionPlan& plan);

// Where the value of a tensor that a step reads lies in memory: the 8-bit tensor behind a
// dequantization that the step does itself, else the root of the tensor.
TensorId operand_root(const ExecutionPlan& plan, const Step& step, TensorId id);

}  // namespace ridgewatt::workload
