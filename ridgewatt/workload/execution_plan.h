// The nodes that run, in execution order: control flow is resolved, constant nodes and views are
// distinguished from kernels, and every tensor is mapped to its memory. Costing starts here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/workload/cost_rule.h"
#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// How a step runs.
enum class StepKind : std::uint8_t {
  kKernel,    // on the device
  kView,      // not at all: its output is its input in another form, or bookkeeping of the host
  kFolded,    // before the first run: depends only on constants and shapes
  kUnpriced,  // the operator has no rule, or a relevant extent is unknown
};

struct Step {
  const Node* node = nullptr;
  const CostRule* rule = nullptr;  // nullptr: the operator has none
  StepKind kind = StepKind::kKernel;
  double count = 1;        // executions per minibatch: trip counts of enclosing loops
  int scope = 0;           // steps of one scope run in one go; 0 is the main graph
  OpCost cost;             // of one execution
  bool integer = false;    // cost counts integer operations
  bool quantized = false;  // reads 8-bit numbers that the graph dequantizes before it
};

struct ExecutionPlan {
  const Model* model = nullptr;
  std::vector<Step> steps;
  // By TensorId: the tensor whose memory it lies in (itself, unless it is a view) ...
  std::vector<TensorId> storage;
  // ... and the step that computes it, or -1.
  std::vector<int> producer;
  // By TensorId: whether it is known before the first run.
  enum class Origin : std::uint8_t {
    kRuntime,   // depends on the graph's inputs
    kConstant,  // follows from stored values alone
    kShapes,    // follows from stored values and shapes
  };
  std::vector<Origin> origin;
  // Assumptions: branches and trip counts that are unknown before the model runs.
  std::vector<std::string> assumptions;

  const Tensor& tensor(TensorId id) const { return model->tensors[static_cast<std::size_t>(id)]; }
  TensorId root(TensorId id) const { return storage[static_cast<std::size_t>(id)]; }
  int producer_of(TensorId id) const { return producer[static_cast<std::size_t>(id)]; }
  Origin origin_of(TensorId id) const { return origin[static_cast<std::size_t>(id)]; }
  bool is_constant(TensorId id) const { return origin_of(id) != Origin::kRuntime; }
};

// `model` has been processed by infer() and outlives the plan. In training dropout is a kernel.
ExecutionPlan make_plan(const Model& model, WorkloadKind kind);

// The weights of an input of a node, stored tensors that a training would change: initializers and
// generated constants of floating (or quantized) type, traced through the constant nodes between.
// Statistics, quantization scales and tables of angles are not weights.
std::vector<TensorId> weights_behind(const ExecutionPlan& plan, const Step& step,
                                     std::size_t input);

}  // namespace ridgewatt::workload
