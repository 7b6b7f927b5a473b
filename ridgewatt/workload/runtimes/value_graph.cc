#include "ridgewatt/workload/runtimes/value_graph.h"

#include "ridgewatt/workload/plan/quantized_graph.h"

namespace ridgewatt::workload {

ValueGraph::ValueGraph(const ExecutionPlan& plan) : plan_(&plan) {
  users_.resize(plan.model->tensors.size());
  is_result_.assign(plan.model->tensors.size(), false);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.kind == StepKind::kFolded) continue;
    // A sequence keeps the tensors that are put into it.
    const bool keeps = step.rule != nullptr && step.rule->op_class == OpClass::kOther;
    if (step.kind == StepKind::kView && !keeps) continue;
    for (const TensorId in : step.node->inputs) {
      if (in == kNoTensor) continue;
      auto& users = users_[static_cast<std::size_t>(value(step, in))];
      if (users.empty() || users.back() != static_cast<int>(i))
        users.push_back(static_cast<int>(i));
    }
  }
  mark_results(plan.model->graph);
}

void ValueGraph::mark_results(const Graph& graph) {
  for (const TensorId id : graph.outputs) {
    is_result_[static_cast<std::size_t>(plan_->root(id))] = true;
  }
  for (const Node& node : graph.nodes) {
    for (const Graph& body : node.subgraphs) mark_results(body);
  }
}

TensorId ValueGraph::value(const Step& step, TensorId id) const {
  return operand_root(*plan_, step, id);
}

TensorId ValueGraph::result(const Step& step) const {
  if (step.node->outputs.empty() || step.node->outputs[0] == kNoTensor) return kNoTensor;
  return plan_->root(step.node->outputs[0]);
}

int ValueGraph::producer(TensorId value) const {
  const int step = plan_->producer_of(value);
  return step >= 0 && runs(plan_->steps[static_cast<std::size_t>(step)]) ? step : -1;
}

double ValueGraph::elements(TensorId id) const {
  return static_cast<double>(plan_->tensor(id).element_count().value_or(0));
}

}  // namespace ridgewatt::workload
