// Handles explicit quantization: QuantizeLinear and DequantizeLinear around an operator on real
// numbers mean that a runtime computes the operator with 8-bit integers.
#pragma once

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

// Marks the following steps as integer work, for inference:
// * contractions whose operands are both dequantized from 8 bits or fewer;
// * any other operator whose operands are all dequantized and whose results are directly quantized.
//
// The conversions around these steps join their kernel. Relu and Clip before a quantization also
// join it, because the quantization saturates. These absorbed steps become views, and the kernel
// accesses the 8-bit tensors. A dequantization with another consumer remains a kernel.
//
// With Integers::kResults, the rules are those of ONNX Runtime's processor (onnxruntime,
// core/optimizer/qdq_transformer/selectors_actions; profiles of version 1.30):
// * the result of a convolution must be quantized, and a bias must be dequantized, too;
// * other operators have an integer kernel only if they are in a list;
// * Relu and Clip join only if they keep all numbers that the quantization can write;
// * weights of other contractions are dequantized in each run, so they are not constant.
void absorb_quantization(ExecutionPlan& plan, Integers integers);

// Returns the tensor that a step reads from memory: the 8-bit tensor before a dequantization that
// the step performs itself, otherwise the root of the tensor's storage.
TensorId operand_root(const ExecutionPlan& plan, const Step& step, TensorId id);

}  // namespace ridgewatt::workload
