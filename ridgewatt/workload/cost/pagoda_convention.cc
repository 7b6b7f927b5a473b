#include "ridgewatt/workload/cost/pagoda_convention.h"

#include <array>
#include <string_view>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {
namespace {

constexpr double kElementBytes = 4;

struct Rule {
  std::string_view op;
  double per_output;
};
constexpr std::array kRules = {
    Rule{"Relu", 1},
    Rule{"Add", 1},
    Rule{"Sub", 1},
    Rule{"Mul", 1},
    Rule{"Div", 1},
    Rule{"Sigmoid", 4},
    Rule{"HardSigmoid", 4},
    Rule{"Tanh", 5},
    Rule{"HardSwish", 5},
    Rule{"Swish", 5},
    Rule{"Softmax", 7},
    Rule{"Erf", 8},
    Rule{"BatchNormalization", 2},
};

double window_of(const Node& node) {
  double window = 1;
  if (const auto* kernel = node.integers("kernel_shape")) {
    for (const auto side : *kernel) window *= static_cast<double>(side);
  }
  return window;
}

double flops_of(const Step& step, double inputs, double outputs) {
  const std::string_view op = step.node->op;
  if (op == "Conv" || op == "ConvTranspose") return 2 * step.cost.macs + outputs;
  if (op == "MaxPool") return outputs * (window_of(*step.node) - 1);
  if (op == "AveragePool") return outputs * window_of(*step.node);
  if (op == "GlobalAveragePool") return inputs;
  for (const Rule& rule : kRules) {
    if (rule.op == op) return rule.per_output * outputs;
  }
  return 2 * step.cost.macs;
}

bool is_free(const Step& step) {
  return step.kind == StepKind::kFolded || step.node->op == "Clip" ||
         (step.kind == StepKind::kView && step.node->op != "Flatten");
}

}  // namespace

PagodaCost pagoda_cost(const ExecutionPlan& plan, const Step& step) {
  PagodaCost cost;
  const Node& node = *step.node;
  const OpContext op(*plan.model, node);
  if (is_free(step) || !op.has_input(0) || !op.has_output(0)) return cost;
  const auto elements = [](const Tensor& tensor) {
    return static_cast<double>(tensor.element_count().value_or(0));
  };
  const double inputs = elements(op.input(0));
  const double outputs = elements(op.output(0));
  cost.flops = flops_of(step, inputs, outputs);
  cost.write_bytes = kElementBytes * outputs;
  cost.read_bytes = kElementBytes * inputs;
  if (node.op == "Add" || node.op == "Sub" || node.op == "Mul" || node.op == "Div") {
    cost.read_bytes = 2 * cost.write_bytes;
  } else if (node.op == "BatchNormalization") {
    cost.read_bytes += 2 * kElementBytes * elements(op.input(1));
  } else if (step.cost.macs > 0 && op.has_input(1)) {
    const double second = kElementBytes * elements(op.input(1));
    cost.read_bytes += second;
    if (plan.is_constant(plan.root(node.inputs[1]))) cost.weight_bytes = second;
  }
  return cost;
}

}  // namespace ridgewatt::workload
