// The nodes of a model that run, in execution order, as the basis of cost counting. Control flow is
// resolved, constant nodes and views are separated from kernels, and every tensor is assigned to
// its memory.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/workload/cost_rule.h"
#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// What a step does when the model runs.
enum class StepKind : std::uint8_t {
  kKernel,    // runs on the device
  kView,      // does not run: its output is its rearranged input, or only the host uses it
  kFolded,    // runs before the first minibatch: depends only on constants and shapes
  kUnpriced,  // not counted: the operator has no rule, or a relevant extent is unknown
};

struct Step {
  const Node* node = nullptr;
  const CostRule* rule = nullptr;  // null if the operator has no rule
  StepKind kind = StepKind::kKernel;
  double count = 1;        // executions per minibatch: trip counts of enclosing loops
  int scope = 0;           // steps with the same scope run together; 0: main graph
  OpCost cost;             // cost of one execution
  bool integer = false;    // `cost` counts integer operations
  bool quantized = false;  // reads 8-bit numbers that the graph dequantizes just before
};

struct ExecutionPlan {
  const Model* model = nullptr;
  std::vector<Step> steps;
  // For each TensorId, the tensor that owns its memory: the tensor itself unless it is a view.
  std::vector<TensorId> storage;
  // The step that computes a tensor, or -1. Indexed by TensorId.
  std::vector<int> producer;
  // What determines the content of a tensor. Indexed by TensorId.
  enum class Origin : std::uint8_t {
    kRuntime,   // depends on the graph's inputs
    kConstant,  // stored values only
    kShapes,    // stored values and shapes
  };
  std::vector<Origin> origin;
  // The weights of all branches of each If whose condition is unknown, with their packed_values().
  // The model also stores the weights of branches whose work is not counted.
  std::map<TensorId, double> idle_weights;
  // Assumed branches and trip counts, which are unknown before the model runs.
  std::vector<std::string> assumptions;

  const Tensor& tensor(TensorId id) const { return model->tensors[static_cast<std::size_t>(id)]; }
  TensorId root(TensorId id) const { return storage[static_cast<std::size_t>(id)]; }
  int producer_of(TensorId id) const { return producer[static_cast<std::size_t>(id)]; }
  Origin origin_of(TensorId id) const { return origin[static_cast<std::size_t>(id)]; }
  bool is_constant(TensorId id) const { return origin_of(id) != Origin::kRuntime; }
};

// Operators next to quantizations that compute with 8-bit integers in inference
// (plan/quantized_graph.h). Other conversions are steps of their own.
enum class Integers : std::uint8_t {
  kNone,
  kOperands,  // contractions of 8-bit numbers, and operators between 8-bit numbers
  kResults,   // as ONNX Runtime on a processor: convolutions only if the result is quantized, too
};

// `model` must have been processed by infer() and must outlive the plan. In training, dropout is a
// kernel, and no operator computes with 8-bit integers.
ExecutionPlan make_plan(const Model& model, WorkloadKind kind,
                        Integers integers = Integers::kOperands);

// Returns the weights on which an input of a node depends: stored tensors that training would
// change. These are initializers and generated constants with a floating or quantized type, found
// through any constant nodes in between. Statistics, quantization scales and tables of angles are
// not weights.
std::vector<TensorId> weights_behind(const ExecutionPlan& plan, const Step& step,
                                     std::size_t input);

// Returns the weights of all inputs of a step. Empty if the step is folded.
std::vector<TensorId> weights_of(const ExecutionPlan& plan, const Step& step);

// Returns how many numbers one element of a weight holds: 2 if bytes hold 4-bit numbers.
double packed_values(const ExecutionPlan& plan, const Step& step, TensorId weight);

// Returns the stored scales and zero points of weights that are quantized in blocks.
std::vector<TensorId> scales_of(const ExecutionPlan& plan, const Step& step);

}  // namespace ridgewatt::workload
