// The cost of a training step after its forward pass: the required gradients of activations and
// weights, and the optimizer.
//
// * The gradient of a tensor is computed only if a weight precedes the tensor. Therefore the input
//   of the first layer has no gradient.
// * A contraction runs one kernel for each operand's gradient, each with the MACs of the forward
//   pass. Element-wise and normalization operators have their own costs (cost_rule.h).
// * Values of the forward pass that the backward pass needs are written in the forward pass and
//   read again in the backward pass.
// * If a tensor has several consumers, their gradients are added.
#pragma once

#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/workload/kernel_fusion.h"
#include "ridgewatt/workload/traffic.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// The tensors that take part in a backward pass.
struct GradientFlow {
  std::vector<bool> needed;     // indexed by TensorId of the storage: a weight precedes the tensor
  std::vector<TensorId> saved;  // activations that the backward pass reads
  std::vector<TensorId> trainable;  // weights
};
GradientFlow gradient_flow(const ExecutionPlan& plan);

// Returns the kernels of the backward pass, last layer first.
std::vector<KernelCost> backward_kernels(const ExecutionPlan& plan, const Kernels& forward,
                                         const GradientFlow& flow, const TensorSizes& sizes);

struct OptimizerCost {
  KernelCost kernel;
  double gradient_bytes = 0;  // of all weights
  double state_bytes = 0;     // momentum, variance, and the master copy of the parameters
};
OptimizerCost optimizer_cost(const ExecutionPlan& plan, const GradientFlow& flow,
                             const TensorSizes& sizes, const ElementWidths& precision,
                             Optimizer optimizer);

}  // namespace ridgewatt::workload
