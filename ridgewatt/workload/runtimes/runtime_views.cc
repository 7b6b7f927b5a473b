#include "ridgewatt/workload/runtimes/runtime_views.h"

#include <algorithm>
#include <map>

namespace ridgewatt::workload {
namespace {

bool takes_every_element(const ExecutionPlan& plan, const Node& node) {
  if (node.inputs.size() < 5 || node.inputs[4] == kNoTensor) return true;
  const auto& steps = plan.tensor(node.inputs[4]).constant;
  return steps && std::all_of(steps->ints.begin(), steps->ints.end(),
                              [](std::int64_t step) { return step == 1; });
}

bool multiplies(const Step& step) {
  const bool contraction = step.rule != nullptr && (step.rule->op_class == OpClass::kConv ||
                                                    step.rule->op_class == OpClass::kGemm ||
                                                    step.rule->op_class == OpClass::kAttention);
  return step.kind == StepKind::kKernel && contraction;
}

// True if the axes after the batch are rotated: the first ones become the last, in the same order.
bool moves_leading_axes_last(const Node& transpose) {
  const auto* order = transpose.integers("perm");
  if (order == nullptr || order->size() < 3 || order->front() != 0) return false;
  const auto count = static_cast<std::int64_t>(order->size()) - 1;
  for (std::size_t i = 2; i < order->size(); ++i) {
    if ((*order)[i] != (*order)[i - 1] % count + 1) return false;
  }
  return true;
}

class ViewFinder {
 public:
  ViewFinder(ExecutionPlan& plan, const RuntimeRules& rules)
      : plan_(plan), rules_(rules), graph_(plan) {}

  void run() {
    std::vector<StepKind> before;
    before.reserve(plan_.steps.size());
    for (const Step& step : plan_.steps) before.push_back(step.kind);
    for (Step& step : plan_.steps) step.kind = kind_of(step);
    rebuild_storage(plan_, before);
  }

 private:
  StepKind kind_of(const Step& step) const {
    const std::string& op = step.node->op;
    if (step.kind != StepKind::kKernel && step.kind != StepKind::kView) return step.kind;
    if (op == "Split" || op == "Slice") {
      if (step.quantized) return step.kind;
      if (!is_among(op, rules_.parts)) return StepKind::kKernel;
      const bool view = op == "Split" || takes_every_element(plan_, *step.node);
      return view ? StepKind::kView : step.kind;
    }
    if (op == "DequantizeLinear" && step.kind == StepKind::kKernel && rules_.reads_narrow) {
      return is_read_narrow(step) ? StepKind::kView : step.kind;
    }
    if (op == "Transpose" && step.kind == StepKind::kKernel && is_free(step)) {
      return StepKind::kView;
    }
    return step.kind;
  }

  // True if all readers have kernels for 8-bit operands: convolutions, sums, pooling and similar.
  bool is_read_narrow(const Step& step) const {
    if (plan_.is_constant(step.node->inputs[0])) return false;
    return feeds(step, [](const Step& reader) {
      const OpClass op_class = reader.rule == nullptr ? OpClass::kOther : reader.rule->op_class;
      return op_class == OpClass::kConv || op_class == OpClass::kGemm ||
             op_class == OpClass::kElementwise || op_class == OpClass::kPooling;
    });
  }

  bool is_free(const Step& step) const {
    switch (rules_.transposes) {
      case Transposes::kKernels:
        return false;
      case Transposes::kViews:
        return true;
      case Transposes::kIntoProducts:
        return comes_from_product(step) || feeds_products(step);
      case Transposes::kIntoAttention:
        return comes_from_attention(step) || feeds_attention(step);
      case Transposes::kBeforeProducts:
        return feeds_products(step);
    }
    return false;
  }

  // A product can write its result in any order if the result has no other reader. A convolution
  // can only write channels last.
  bool comes_from_product(const Step& step) const {
    const TensorId value = graph_.value(step, step.node->inputs[0]);
    int producer = graph_.producer(value);
    if (producer < 0 || graph_.users(value).size() != 1) return false;
    const Step* from = &plan_.steps[static_cast<std::size_t>(producer)];
    if (from->node->op == "Add" || from->node->op == "Mul") {  // bias or factor of the product
      for (const TensorId in : from->node->inputs) {
        const int before = plan_.is_constant(in) ? -1 : graph_.producer(graph_.value(*from, in));
        if (before >= 0) from = &plan_.steps[static_cast<std::size_t>(before)];
      }
    }
    const bool convolves = multiplies(*from) && from->rule->op_class == OpClass::kConv;
    return multiplies(*from) && (!convolves || moves_leading_axes_last(*step.node));
  }

  bool comes_from_attention(const Step& step) const {
    const int producer = graph_.producer(graph_.value(step, step.node->inputs[0]));
    return producer >= 0 && is_of_attention(plan_.steps[static_cast<std::size_t>(producer)]);
  }

  bool feeds_products(const Step& step) const {
    return feeds(step, [](const Step& reader) {
      return multiplies(reader) && reader.rule->op_class != OpClass::kConv;
    });
  }

  bool feeds_attention(const Step& step) const {
    return feeds(step, [this](const Step& reader) { return is_of_attention(reader); });
  }

  template <typename Test>
  bool feeds(const Step& step, Test test) const {
    const TensorId value = graph_.result(step);
    if (value == kNoTensor || graph_.is_result(value)) return false;
    const auto& users = graph_.users(value);
    return !users.empty() && std::all_of(users.begin(), users.end(), [&](int user) {
      return test(plan_.steps[static_cast<std::size_t>(user)]);
    });
  }

  // A product of two computed tensors: queries and keys, or scores and values.
  bool is_of_attention(const Step& step) const {
    const auto& inputs = step.node->inputs;
    return step.node->op == "MatMul" && inputs.size() == 2 && !plan_.is_constant(inputs[0]) &&
           !plan_.is_constant(inputs[1]);
  }

  ExecutionPlan& plan_;
  const RuntimeRules& rules_;
  ValueGraph graph_;
};

// True for the same number: one tensor, or two tensors with equal content.
bool is_equal(const ExecutionPlan& plan, TensorId a, TensorId b) {
  if (a == b) return true;
  const auto& left = plan.tensor(a).constant;
  const auto& right = plan.tensor(b).constant;
  return left && right && !left->floats.empty() && left->floats == right->floats;
}

// Removes repeated quantizations of one tensor with the same scale.
void join_quantizations(ExecutionPlan& plan) {
  std::map<TensorId, std::vector<std::size_t>> quantizations;  // by quantized tensor
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step& step = plan.steps[i];
    if (step.kind != StepKind::kKernel || step.node->op != "QuantizeLinear") continue;
    auto& known = quantizations[plan.root(step.node->inputs[0])];
    const auto same = std::find_if(known.begin(), known.end(), [&](std::size_t other) {
      const Step& first = plan.steps[other];
      return first.scope == step.scope &&
             is_equal(plan, first.node->inputs[1], step.node->inputs[1]) &&
             plan.tensor(first.node->outputs[0]).dtype == plan.tensor(step.node->outputs[0]).dtype;
    });
    if (same == known.end()) {
      known.push_back(i);
      continue;
    }
    const TensorId root = plan.root(plan.steps[*same].node->outputs[0]);
    const TensorId copy = plan.root(step.node->outputs[0]);
    step.kind = StepKind::kView;
    step.cost = {};
    std::replace(plan.storage.begin(), plan.storage.end(), copy, root);
  }
}

}  // namespace

void set_views(ExecutionPlan& plan, const RuntimeRules& rules) {
  ViewFinder(plan, rules).run();
  if (rules.joins_quantizations) join_quantizations(plan);
}

void rebuild_storage(ExecutionPlan& plan, const std::vector<StepKind>& before) {
  const std::vector<TensorId> old = plan.storage;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.node->inputs.empty() || step.node->inputs[0] == kNoTensor) continue;
    const TensorId of = step.node->inputs[0];
    const bool was_view = before[i] == StepKind::kView;
    const bool is_view = step.kind == StepKind::kView;
    for (const TensorId out : step.node->outputs) {
      if (out == kNoTensor) continue;
      const auto at = static_cast<std::size_t>(out);
      const bool aliased = was_view && old[at] == old[static_cast<std::size_t>(of)];
      if (is_view && (aliased || !was_view)) {
        plan.storage[at] = plan.storage[static_cast<std::size_t>(of)];
      } else if (was_view && !is_view) {
        plan.storage[at] = out;
      }
    }
  }
}

}  // namespace ridgewatt::workload
