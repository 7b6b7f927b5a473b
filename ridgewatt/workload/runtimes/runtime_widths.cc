#include "ridgewatt/workload/runtimes/runtime_widths.h"

#include <algorithm>

namespace ridgewatt::workload {
namespace {

constexpr int kNarrow = 8;

bool is_quantized(const ExecutionPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) { return step.quantized; });
}

// A convolution, or a product with weights: what calibration turns into integers.
bool has_integer_kernel(const ExecutionPlan& plan, const Step& step) {
  const auto& inputs = step.node->inputs;
  if (step.rule == nullptr || step.kind != StepKind::kKernel || inputs.size() < 2) return false;
  const bool contraction =
      step.rule->op_class == OpClass::kConv || step.rule->op_class == OpClass::kGemm;
  return contraction && !plan.is_constant(inputs[0]) && plan.is_constant(inputs[1]);
}

void quantize(ExecutionPlan& plan, const ValueGraph& graph, RuntimeKernels& lowered) {
  for (Step& step : plan.steps) {
    if (!has_integer_kernel(plan, step)) continue;
    step.integer = true;
    for (const std::size_t slot : {0U, 1U}) {
      const TensorId root = graph.value(step, step.node->inputs[slot]);
      lowered.bits[static_cast<std::size_t>(root)] = kNarrow;
    }
  }
}

}  // namespace

void set_arithmetic(ExecutionPlan& plan, const ValueGraph& graph, const RuntimeTarget& target,
                    RuntimeKernels& lowered) {
  lowered.bits.assign(plan.model->tensors.size(), 0);
  const bool narrow = target.precision == Precision::kInt8;
  lowered.arithmetic = narrow ? target.fallback : target.precision;
  lowered.widths = element_widths(lowered.arithmetic, WorkloadKind::kInference);
  if (narrow && !is_quantized(plan)) quantize(plan, graph, lowered);
  for (std::size_t k = 0; k < lowered.labels.size(); ++k) {
    const Step& head =
        plan.steps[static_cast<std::size_t>(lowered.kernels.kernels[k].steps.front())];
    lowered.labels[k].precision =
        head.integer && head.rule != nullptr && head.rule->gradient == Gradient::kContraction
            ? Precision::kInt8
            : lowered.arithmetic;
  }
}

}  // namespace ridgewatt::workload
