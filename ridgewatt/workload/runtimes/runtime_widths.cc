#include "ridgewatt/workload/runtimes/runtime_widths.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::workload {
namespace {

constexpr std::uint8_t kInt8Bits = 8;

bool is_quantized(const ExecutionPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) { return step.quantized; });
}

// True for convolutions and products with weights, which calibration converts to integers.
bool has_integer_kernel(const ExecutionPlan& plan, const Step& step) {
  const auto& inputs = step.node->inputs;
  if (step.rule == nullptr || step.kind != StepKind::kKernel || inputs.size() < 2 ||
      inputs[1] == kNoTensor) {
    return false;
  }
  const bool contraction =
      step.rule->op_class == OpClass::kConv || step.rule->op_class == OpClass::kGemm;
  return contraction && !plan.is_constant(inputs[0]) && plan.is_constant(inputs[1]);
}

bool only_moves(const Step& step) {
  const OpClass op_class = step.rule == nullptr ? OpClass::kOther : step.rule->op_class;
  return op_class == OpClass::kPooling || op_class == OpClass::kDataMovement;
}

// Pooling, resizing and concatenation work in any width, so they read the width that they write.
void narrow_before_moves(const ExecutionPlan& plan, const ValueGraph& graph,
                         RuntimeKernels& lowered) {
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    const Step& step = plan.steps[i];
    if (step.kind == StepKind::kFolded || !only_moves(step)) continue;
    const TensorId result = graph.result(step);
    if (result == kNoTensor || lowered.bits[static_cast<std::size_t>(result)] == 0) continue;
    for (const TensorId in : step.node->inputs) {
      if (in == kNoTensor || plan.is_constant(in)) continue;
      lowered.bits[static_cast<std::size_t>(graph.value(step, in))] =
          lowered.bits[static_cast<std::size_t>(result)];
    }
  }
}

// Returns the steps that multiply narrow numbers.
std::vector<bool> quantize(ExecutionPlan& plan, const ValueGraph& graph, Precision precision,
                           RuntimeKernels& lowered) {
  std::vector<bool> narrow(plan.steps.size(), false);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step& step = plan.steps[i];
    if (!has_integer_kernel(plan, step)) continue;
    narrow[i] = true;
    step.integer = !arithmetic_row(precision).floats;
    for (const std::size_t slot : {0U, 1U}) {
      const TensorId root = graph.value(step, step.node->inputs[slot]);
      lowered.bits[static_cast<std::size_t>(root)] =
          static_cast<std::uint8_t>(narrow_bits(precision));
    }
  }
  narrow_before_moves(plan, graph, lowered);
  return narrow;
}

// The runtime quantizes stored weights before the first run if the graph states their quantization.
void narrow_weights(const ExecutionPlan& plan, RuntimeKernels& lowered) {
  for (const Step& step : plan.steps) {
    if (!step.integer || !step.quantized || step.node->inputs.size() < 2) continue;
    for (const TensorId weight : weights_behind(plan, step, 1)) {
      lowered.bits[static_cast<std::size_t>(plan.root(weight))] = kInt8Bits;
    }
  }
}

}  // namespace

void set_arithmetic(ExecutionPlan& plan, const ValueGraph& graph, const RuntimeTarget& target,
                    RuntimeKernels& lowered) {
  lowered.bits.assign(plan.model->tensors.size(), 0);
  const bool narrow = narrow_bits(target.precision) > 0;
  lowered.arithmetic = narrow ? target.fallback : target.precision;
  lowered.widths = element_widths(lowered.arithmetic, WorkloadKind::kInference);
  std::vector<bool> steps(plan.steps.size(), false);
  if (narrow && is_quantized(plan) && target.precision != Precision::kInt8) {
    throw NotSupportedError(
        fmt::format("the model is quantized to 8-bit integers and cannot run in {}",
                    name_of(target.precision)),
        plan.model->name, "omit --precision");
  }
  if (narrow && !is_quantized(plan)) steps = quantize(plan, graph, target.precision, lowered);
  narrow_weights(plan, lowered);
  for (std::size_t k = 0; k < lowered.labels.size(); ++k) {
    const auto index = static_cast<std::size_t>(lowered.kernels.kernels[k].steps.front());
    const Step& head = plan.steps[index];
    const bool contracts = head.rule != nullptr && head.rule->gradient == Gradient::kContraction;
    Precision& precision = lowered.labels[k].precision;
    precision = steps[index] ? target.precision : lowered.arithmetic;
    if (head.integer && contracts) precision = Precision::kInt8;
  }
}

}  // namespace ridgewatt::workload
