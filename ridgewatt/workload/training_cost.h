// What a training step does after its forward pass: gradients of activations and of weights, each
// where it is needed, and the optimizer.
//
// * The gradient of an input is computed only if a weight lies before it: never that of the first
//   layer's input.
// * A contraction runs one kernel for each operand's gradient, each with the MACs of the forward
//   pass. Element-wise and normalization work has derivatives of its own.
// * What the backward pass needs of the forward pass is written there and read again here.
// * Where a tensor went to several consumers their gradients are added up.
#pragma once

#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/workload/kernel_fusion.h"
#include "ridgewatt/workload/traffic.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Tensors of a parameter's size that one update reads and writes: SGD 3 (parameter, gradient,
// parameter), with momentum 5, Adam 7.
enum class Optimizer { kSgd, kMomentum, kAdam };
constexpr auto enum_names(Optimizer) {
  return named<Optimizer>(
      {{Optimizer::kSgd, "sgd"}, {Optimizer::kMomentum, "momentum"}, {Optimizer::kAdam, "adam"}});
}

// Which tensors take part in a backward pass.
struct GradientFlow {
  std::vector<bool> needed;         // by TensorId of the storage: a weight lies before it
  std::vector<TensorId> saved;      // activations that the backward pass reads
  std::vector<TensorId> trainable;  // weights
};
GradientFlow gradient_flow(const ExecutionPlan& plan);

// Kernels of the backward pass, last layer first.
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
