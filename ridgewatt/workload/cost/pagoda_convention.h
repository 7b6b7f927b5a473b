// The counting rules of the Pagoda artifact (Prashanthi et al., "Pagoda: An Energy and Time
// Roofline Study for DNN Workloads on Edge Accelerators"), so that its readers can compare.
//
// Operations: Conv 2 for a MAC and one per output element, bias or not; Gemm and MatMul 2 for a
// MAC; Relu, Add, Sub, Mul, Div 1, Sigmoid and HardSigmoid 4, Tanh, HardSwish and Swish 5, Softmax
// 7, Erf 8, BatchNormalization 2 per output element; MaxPool k - 1 and AveragePool k for a window
// of k; GlobalAveragePool its inputs. Bytes, 4 per element: an operator reads its first input and
// its weights and writes its output; Add, Sub, Mul and Div count three times the output,
// BatchNormalization two parameters per channel more. Views but Flatten, Clip, constants and biases
// are free.
#pragma once

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

struct PagodaCost {
  double flops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double weight_bytes = 0;  // among what is read
};

// One execution of a step, forward.
PagodaCost pagoda_cost(const ExecutionPlan& plan, const Step& step);

}  // namespace ridgewatt::workload
