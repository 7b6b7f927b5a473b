// The counting rules of the Pagoda artifact (Prashanthi et al., "Pagoda: An Energy and Time
// Roofline Study for DNN Workloads on Edge Accelerators"), for comparison with its results.
//
// Operations: Conv 2 per MAC and 1 per output element, with or without bias. Gemm and MatMul 2 per
// MAC. Per output element: Relu, Add, Sub, Mul, Div 1; Sigmoid and HardSigmoid 4; Tanh, HardSwish
// and Swish 5; Softmax 7; Erf 8; BatchNormalization 2. Per output element with a window of k:
// MaxPool k - 1, AveragePool k. GlobalAveragePool: number of its inputs.
//
// Bytes, 4 per element: an operator reads its first input and its weights and writes its output.
// Add, Sub, Mul and Div count the output three times, and BatchNormalization adds two parameters
// per channel. Clip, constants, biases and all views except Flatten are free.
#pragma once

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

struct PagodaCost {
  double flops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double weight_bytes = 0;  // included in read_bytes
};

// Forward cost of one execution of a step.
PagodaCost pagoda_cost(const ExecutionPlan& plan, const Step& step);

}  // namespace ridgewatt::workload
