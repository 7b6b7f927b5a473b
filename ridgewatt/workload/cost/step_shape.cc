#include "ridgewatt/workload/cost/step_shape.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace ridgewatt::workload {

OpClass class_of(const ExecutionPlan& plan, const Step& step) {
  if (step.rule == nullptr) return OpClass::kOther;
  // Few channels per group give too little reuse for a matrix unit.
  constexpr double kFewChannels = 4;
  if (step.rule->op_class != OpClass::kConv || step.node->inputs.size() < 2) {
    return step.rule->op_class;
  }
  const std::size_t slot = step.node->op == "QLinearConv" ? 3 : 1;
  const auto& shape = plan.tensor(step.node->inputs[slot]).shape;
  const bool grouped = step.node->integer("group", 1) > 1;
  return grouped && shape && shape->size() > 1 && (*shape)[1] <= kFewChannels
             ? OpClass::kDepthwiseConv
             : OpClass::kConv;
}

double window_of(const ExecutionPlan& plan, const Step& step) {
  const OpClass op_class = class_of(plan, step);
  double window = 1;
  if (op_class == OpClass::kConv || op_class == OpClass::kDepthwiseConv) {
    const std::size_t slot = step.node->op == "QLinearConv" ? 3 : 1;
    if (step.node->inputs.size() <= slot) return window;
    const auto& shape = plan.tensor(step.node->inputs[slot]).shape;
    if (!shape) return window;
    for (std::size_t i = 2; i < shape->size(); ++i) window *= static_cast<double>((*shape)[i]);
  } else if (op_class == OpClass::kPooling) {
    if (const auto* sides = step.node->integers("kernel_shape")) {
      for (const auto side : *sides) window *= static_cast<double>(side);
    }
  }
  return std::max(window, 1.0);
}

double output_channels_of(const ExecutionPlan& plan, const Step& step) {
  const auto& outputs = step.node->outputs;
  if (!(step.cost.reduction_length > 0) || outputs.empty() || outputs[0] == kNoTensor) return 0;
  const auto& shape = plan.tensor(outputs[0]).shape;
  if (!shape || shape->empty()) return 0;
  const bool image = step.rule->op_class == OpClass::kConv && shape->size() > 1;
  const auto groups = static_cast<double>(image ? step.node->integer("group", 1) : 1);
  return static_cast<double>(image ? (*shape)[1] : shape->back()) / std::max(1.0, groups);
}

double row_length_of(const ExecutionPlan& plan, const Step& step) {
  const auto& outputs = step.node->outputs;
  if (outputs.empty() || outputs[0] == kNoTensor) return 0;
  const auto& shape = plan.tensor(outputs[0]).shape;
  return !shape || shape->empty() ? 0
                                  : static_cast<double>(std::max<std::int64_t>(shape->back(), 0));
}

bool is_strided(const ExecutionPlan& plan, const Step& step) {
  const std::string_view op = step.node->op;
  if (op != "Softmax" && op != "LogSoftmax") return false;
  const auto& shape = plan.tensor(step.node->inputs[0]).shape;
  if (!shape || shape->empty()) return false;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t axis = step.node->integer("axis", -1);
  return (axis < 0 ? axis + rank : axis) != rank - 1 && shape->back() > 1;
}

double unrolled_bytes(const ExecutionPlan& plan, const TensorSizes& sizes, const Step& step) {
  if (class_of(plan, step) != OpClass::kConv || window_of(plan, step) <= 1) return 0;
  const TensorId out = step.node->outputs[0];
  const auto& shape = plan.tensor(out).shape;
  if (!shape || shape->size() < 2 || (*shape)[1] <= 0) return 0;
  return step.cost.reduction_length * sizes.bytes(out) / static_cast<double>((*shape)[1]);
}

int launches_of(const ExecutionPlan& plan, const Step& step) {
  double launches = 1;
  if (step.rule != nullptr && step.rule->op_class == OpClass::kRecurrent) {
    const bool batch_first = step.node->integer("layout", 0) != 0;
    const auto& x = plan.tensor(step.node->inputs[0]).shape;
    const auto& r = plan.tensor(step.node->inputs[2]).shape;
    if (x && x->size() == 3 && r && !r->empty()) {
      launches = 1 + static_cast<double>((*x)[batch_first ? 1 : 0] * (*r)[0]);
    }
  }
  return static_cast<int>(std::min(launches * step.count, 1e9));
}

CostCaveats caveats_of(const ExecutionPlan& plan, const InferSummary& shapes) {
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::kUnpriced) continue;
    ++counts[{step.node->domain, step.node->op,
              step.rule == nullptr ? "no rule" : "extents not known"}];
  }
  const auto all = static_cast<double>(plan.steps.size());
  CostCaveats caveats;
  for (const auto& [key, nodes] : counts) {
    const auto& [domain, op, reason] = key;
    caveats.uncounted.push_back({op, domain, nodes, reason, nodes / all});
  }
  // Lists operators without a rule first, because they often make the nodes after them unknown.
  std::stable_partition(caveats.uncounted.begin(), caveats.uncounted.end(),
                        [](const Uncounted& one) { return one.reason == "no rule"; });
  caveats.assumed_dims = shapes.assumed;
  caveats.guessed_dims = shapes.guessed;
  caveats.open_dims = shapes.open;
  caveats.assumptions = plan.assumptions;
  for (const auto& remark : shapes.remarks) caveats.assumptions.push_back(remark);
  return caveats;
}

}  // namespace ridgewatt::workload
