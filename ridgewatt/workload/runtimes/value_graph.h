// The producer and the consumers of each value of a plan, seen through views: the basis of fusion.
#pragma once

#include <vector>

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {

class ValueGraph {
 public:
  // `plan` must outlive it; its storage and kinds of steps must not change.
  explicit ValueGraph(const ExecutionPlan& plan);

  // The step does something when the model runs.
  static bool runs(const Step& step) {
    return (step.kind == StepKind::kKernel || step.kind == StepKind::kUnpriced) &&
           step.node->subgraphs.empty();
  }
  // The value that a step reads through input `id`.
  TensorId value(const Step& step, TensorId id) const;
  // The value that a step computes first, or kNoTensor.
  TensorId result(const Step& step) const;
  // The consumers of a value that run or keep it; each once.
  const std::vector<int>& users(TensorId value) const {
    return users_[static_cast<std::size_t>(value)];
  }
  // The step that computes it and runs, or -1.
  int producer(TensorId value) const;
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
