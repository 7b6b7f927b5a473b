#include "ridgewatt/workload/runtimes/units.h"

#include <algorithm>
#include <optional>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/runtimes/activations.h"

namespace ridgewatt::workload {
namespace {

// Matches one idiom that starts at one step.
class IdiomMatcher {
 public:
  IdiomMatcher(const ValueGraph& graph, const Idiom& idiom, const std::vector<bool>& taken)
      : graph_(graph), plan_(graph.plan()), idiom_(idiom), taken_(taken) {}

  std::optional<std::vector<int>> from(int first) {
    for (std::size_t n = 0; n < idiom_.nodes.size(); ++n) {
      const IdiomNode& node = idiom_.nodes[n];
      const int step = n == 0 ? (fits(node, first) ? first : -1) : find(node);
      if (step < 0 && !node.optional) return std::nullopt;
      results_.push_back(step < 0 ? skipped_result(node) : graph_.result(at(step)));
      if (step >= 0) steps_.push_back(step);
    }
    if (!is_closed() || (idiom_.equal_heads && !has_equal_heads())) return std::nullopt;
    std::sort(steps_.begin(), steps_.end());
    return steps_;
  }

 private:
  const Step& at(int step) const { return plan_.steps[static_cast<std::size_t>(step)]; }

  TensorId skipped_result(const IdiomNode& node) const {
    return results_[static_cast<std::size_t>(node.first)];
  }

  // Searches the users of an operand that is already matched, or of the idiom's input.
  int find(const IdiomNode& node) {
    const int anchor = node.first >= 0 ? node.first : node.second;
    const TensorId value = anchor >= 0 ? results_[static_cast<std::size_t>(anchor)] : input_;
    if (value == kNoTensor) return -1;
    for (const int user : graph_.users(value)) {
      const bool used = contains(steps_, user);
      if (!used && fits(node, user)) return user;
    }
    return -1;
  }

  bool fits(const IdiomNode& node, int index) {
    const Step& step = at(index);
    if (taken_[static_cast<std::size_t>(index)] || step.kind != StepKind::kKernel) return false;
    if (!is_among(step.node->op, node.ops) || !step.node->domain.empty()) return false;
    if (!steps_.empty() && step.scope != at(steps_[0]).scope) return false;
    const auto& inputs = step.node->inputs;
    const TensorId input = input_;
    if (operands_fit(node, step, 0, 1)) return true;
    input_ = input;
    const bool commutes = is_among(step.node->op, "Add|Mul");
    if (commutes && inputs.size() == 2 && operands_fit(node, step, 1, 0)) return true;
    input_ = input;
    return false;
  }

  bool operands_fit(const IdiomNode& node, const Step& step, std::size_t first,
                    std::size_t second) {
    return operand_fits(node.first, step, first) && operand_fits(node.second, step, second);
  }

  bool operand_fits(int wanted, const Step& step, std::size_t slot) {
    const auto& inputs = step.node->inputs;
    if (wanted == kAbsent) return true;
    if (slot >= inputs.size() || inputs[slot] == kNoTensor) return false;
    const TensorId value = graph_.value(step, inputs[slot]);
    const bool constant = plan_.is_constant(inputs[slot]);
    switch (wanted) {
      case kConstant:
        return constant;
      case kTensor:
        return true;
      case kInput:
        if (constant) return false;
        if (input_ == kNoTensor) input_ = value;
        return value == input_;
      default:
        return value == results_[static_cast<std::size_t>(wanted)];
    }
  }

  // True if only the idiom itself reads its results, except the last one.
  bool is_closed() const {
    const int last = steps_.back();
    return std::all_of(steps_.begin(), steps_.end(), [&](int step) {
      if (step == last) return true;
      const TensorId value = graph_.result(at(step));
      const auto& users = graph_.users(value);
      return !graph_.is_result(value) && std::all_of(users.begin(), users.end(), [&](int user) {
        return contains(steps_, user);
      });
    });
  }

  // For attention: keys and values must have the same head size, which the first product sums over.
  bool has_equal_heads() const {
    const auto& values = plan_.tensor(at(steps_.back()).node->outputs[0]).shape;
    return values && !values->empty() &&
           at(steps_.front()).cost.reduction_length == static_cast<double>(values->back());
  }

  const ValueGraph& graph_;
  const ExecutionPlan& plan_;
  const Idiom& idiom_;
  const std::vector<bool>& taken_;
  std::vector<int> steps_;
  std::vector<TensorId> results_;  // by node
  TensorId input_ = kNoTensor;
};

// True if the operator reduces along the last axis of its first input and along no other.
bool reduces_rows(const ExecutionPlan& plan, const Node& node) {
  const auto& shape = plan.tensor(node.inputs[0]).shape;
  if (!shape || shape->empty()) return false;
  const auto last = static_cast<std::int64_t>(shape->size()) - 1;
  const auto is_last = [&](std::int64_t axis) { return axis == -1 || axis == last; };
  if (!node.op.starts_with("Reduce")) {
    return is_last(node.integer("axis", node.op.ends_with("max") && node.opset < 13 ? 1 : -1));
  }
  const auto* axes = node.integers("axes");
  if (axes == nullptr && node.inputs.size() > 1 && node.inputs[1] != kNoTensor) {
    const auto& content = plan.tensor(node.inputs[1]).constant;
    axes = content ? &content->ints : nullptr;
  }
  return axes != nullptr && axes->size() == 1 && is_last(axes->front());
}

Unit unit_of_step(const ExecutionPlan& plan, int index) {
  const Step& step = plan.steps[static_cast<std::size_t>(index)];
  Unit unit{.steps = {index}, .op = step.node->op};
  if (step.kind == StepKind::kUnpriced || step.rule == nullptr) {
    unit.fusion = Fusion::kAlone;
    return unit;
  }
  unit.op_class = step.rule->op_class;
  unit.fusion = step.rule->fusion;
  if (unit.fusion == Fusion::kRowwise && !reduces_rows(plan, *step.node)) {
    unit.fusion = Fusion::kKernel;
  }
  return unit;
}

// How an idiom fuses if its nodes were combined to an operator of this class.
Fusion fusion_of(OpClass op_class) {
  if (op_class == OpClass::kElementwise) return Fusion::kPointwise;
  return op_class == OpClass::kNormalization ? Fusion::kRowwise : Fusion::kKernel;
}

}  // namespace

std::vector<Idiom> idioms_of(const RuntimeRules& rules, unsigned width) {
  std::vector<Idiom> found;
  for (const Idiom& idiom : rules.idioms) {
    if ((idiom.widths & width) != 0) found.push_back(idiom);
  }
  for (const auto& [name, nodes, by] : activations::kIdioms) {
    if ((by & rules.activations) != 0) found.push_back({name, OpClass::kElementwise, nodes});
  }
  return found;
}

std::vector<Unit> find_units(const ValueGraph& graph, const RuntimeRules& rules, unsigned width) {
  const std::vector<Idiom> idioms = idioms_of(rules, width);
  const ExecutionPlan& plan = graph.plan();
  const std::size_t count = plan.steps.size();
  std::vector<bool> taken(count, false);
  std::vector<std::optional<Unit>> ending(count);  // matched idioms, by their last step
  for (std::size_t i = 0; i < count; ++i) {
    if (!ValueGraph::runs(plan.steps[i]) || taken[i]) continue;
    for (const Idiom& idiom : idioms) {
      if (!is_among(plan.steps[i].node->op, idiom.nodes[0].ops)) continue;
      auto steps = IdiomMatcher(graph, idiom, taken).from(static_cast<int>(i));
      if (!steps) continue;
      for (const int step : *steps) taken[static_cast<std::size_t>(step)] = true;
      const auto last = static_cast<std::size_t>(steps->back());
      ending[last] = Unit{.steps = std::move(*steps),
                          .op = idiom.name,
                          .op_class = idiom.op_class,
                          .fusion = fusion_of(idiom.op_class)};
      break;
    }
  }
  std::vector<Unit> units;
  for (std::size_t i = 0; i < count; ++i) {
    if (ending[i]) units.push_back(std::move(*ending[i]));
    if (ValueGraph::runs(plan.steps[i]) && !taken[i]) {
      units.push_back(unit_of_step(plan, static_cast<int>(i)));
    }
  }
  return units;
}

}  // namespace ridgewatt::workload
