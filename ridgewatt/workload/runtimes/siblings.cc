#include "ridgewatt/workload/runtimes/siblings.h"

#include <algorithm>
#include <map>
#include <string>

#include "ridgewatt/workload/runtimes/groups.h"

namespace ridgewatt::workload {
namespace {

// The properties that two convolutions or two products must share, as text. Empty: it cannot be
// joined.
std::string form_of(const ExecutionPlan& plan, const Step& step) {
  const Node& node = *step.node;
  const auto& weights = plan.tensor(node.inputs[1]).shape;
  if (!weights || !plan.is_constant(node.inputs[1])) return "";
  std::string form = step.integer ? "int8" : "float";
  if (node.op == "MatMul") {
    for (const auto extent : *weights) form += "," + std::to_string(extent);
    return form;
  }
  if (weights->size() < 3 || node.integer("group", 1) != 1) return "";
  for (std::size_t i = 2; i < weights->size(); ++i) form += "," + std::to_string((*weights)[i]);
  for (const std::string_view name : {"strides", "pads", "dilations"}) {
    form += ";";
    if (const auto* values = node.integers(name)) {
      // An omitted attribute means all ones, or all zeros for "pads".
      const bool plain = std::all_of(values->begin(), values->end(), [&](std::int64_t value) {
        return value == (name == "pads" ? 0 : 1);
      });
      if (!plain) {
        for (const auto value : *values) form += std::to_string(value) + ",";
      }
    }
  }
  return form + std::string(node.text("auto_pad", ""));
}

// True if the unit adds a constant to its only computed input.
bool adds_constant(const ExecutionPlan& plan, const Unit& unit) {
  const auto& inputs = plan.steps[static_cast<std::size_t>(unit.steps.front())].node->inputs;
  return unit.op == "Add" && std::any_of(inputs.begin(), inputs.end(), [&](TensorId in) {
           return in != kNoTensor && plan.is_constant(in);
         });
}

// Returns the only operator that reads the result of a convolution or product after its folded
// scales and bias. Empty: there are several, or the result is an output of the graph.
std::string_view follower(const ValueGraph& graph, const std::vector<Unit>& units,
                          const std::vector<int>& unit_of, int step) {
  const ExecutionPlan& plan = graph.plan();
  for (int depth = 0; depth < 4; ++depth) {
    const TensorId value = graph.result(plan.steps[static_cast<std::size_t>(step)]);
    if (value == kNoTensor || graph.is_result(value) || graph.users(value).empty()) return "";
    const int user = unit_of[static_cast<std::size_t>(graph.users(value)[0])];
    for (const int other : graph.users(value)) {
      if (unit_of[static_cast<std::size_t>(other)] != user) return "";
    }
    if (user < 0) return "";
    const Unit& unit = units[static_cast<std::size_t>(user)];
    if (unit.op != "BatchNormalization" && !adds_constant(plan, unit)) return unit.op;
    step = unit.steps.back();
  }
  return "";
}

}  // namespace

Siblings::Siblings(const ValueGraph& graph, const std::vector<Unit>& units, bool joins)
    : graph_(&graph) {
  const ExecutionPlan& plan = graph.plan();
  family_.assign(plan.steps.size(), -1);
  if (!joins) return;
  std::vector<int> unit_of(plan.steps.size(), -1);
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const int step : units[u].steps) {
      unit_of[static_cast<std::size_t>(step)] = static_cast<int>(u);
    }
  }
  std::map<std::tuple<TensorId, int, std::string, std::string_view>, std::vector<int>> families;
  for (const Unit& unit : units) {
    const int index = unit.steps.front();
    const Step& step = plan.steps[static_cast<std::size_t>(index)];
    if ((unit.op != "Conv" && unit.op != "MatMul") || step.node->inputs.size() < 2) continue;
    // Most tensors have one reader.
    const TensorId value = graph.value(step, step.node->inputs[0]);
    if (graph.users(value).size() < 2) continue;
    const std::string_view next = follower(graph, units, unit_of, index);
    // A sum belongs to only one of its convolutions.
    if (next.empty() || next == "Add" || next == "Concat") continue;
    const std::string form = form_of(plan, step);
    if (!form.empty()) families[{value, step.scope, form, next}].push_back(index);
  }
  for (const auto& [key, steps] : families) {
    if (steps.size() < 2) continue;
    for (const int step : steps) family_[static_cast<std::size_t>(step)] = steps.front();
  }
}

std::vector<Group> Siblings::merge(std::vector<Group> groups) const {
  std::map<int, std::size_t> firsts;  // index of the first group in `merged`, by family
  std::vector<Group> merged;
  for (Group& group : groups) {
    const int family = family_[static_cast<std::size_t>(group.head().steps.front())];
    const auto found = firsts.find(family);
    if (family < 0 || found == firsts.end()) {
      if (family >= 0) firsts[family] = merged.size();
      merged.push_back(std::move(group));
      continue;
    }
    Group& first = merged[found->second];
    for (Unit& unit : group.units) first.units.push_back(std::move(unit));
    first.elements += group.elements;
    ++first.siblings;
  }
  return merged;
}

}  // namespace ridgewatt::workload
