// Producer and consumers of each value of a plan, with views resolved: the basis of fusion.
#pragma once

#include <vector>

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

class ValueGraph {
 public:
  // `plan` must outlive this. Its storage and the kinds of its steps must not change.
  explicit ValueGraph(const ExecutionPlan& plan);

  // True if the step does work when the model runs.
  static bool runs(const Step& step) {
    return (step.kind == StepKind::kKernel || step.kind == StepKind::kUnpriced) &&
           step.node->subgraphs.empty();
  }
  // Returns the value that a step reads through its input `id`.
  TensorId value(const Step& step, TensorId id) const;
  // Returns the first value that a step computes, or kNoTensor.
  TensorId result(const Step& step) const;
  // Steps that read a value and run, and steps that put it into a sequence; each is listed once.
  const std::vector<int>& users(TensorId value) const {
    return users_[static_cast<std::size_t>(value)];
  }
  // Returns the step that computes the value, or -1 if that step does not run.
  int producer(TensorId value) const;
  // True if the value is an output of a graph.
  bool is_result(TensorId value) const { return is_result_[static_cast<std::size_t>(value)]; }
  double elements(TensorId id) const;
  const ExecutionPlan& plan() const { return *plan_; }

 private:
  void mark_results(const Graph& graph);

  const ExecutionPlan* plan_;
  std::vector<std::vector<int>> users_;
  std::vector<bool> is_result_;
};

}  // namespace ridgewatt::workload
