// Counts the work of an operator: one rule per operator, which cost_table.h finds by name.
//
// A rule counts the forward pass in named terms ("outputs", "channels") and states the result as a
// formula in those terms. Tests evaluate the formula with the recorded terms and compare it with
// the result of the rule, `--explain` prints it with numbers, and docs/reference/operators.md is
// generated from it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

class OpContext;

// Receives the terms of a formula, and records them on request.
class Terms {
 public:
  using Recorded = std::vector<std::pair<std::string_view, double>>;

  Terms() = default;
  explicit Terms(Recorded* recorded) : recorded_(recorded) {}
  double operator()(std::string_view name, double value) {
    if (recorded_ != nullptr) recorded_->emplace_back(name, value);
    return value;
  }

 private:
  Recorded* recorded_ = nullptr;
};

// Work of one execution of a node in the forward pass. NaN: a relevant extent is unknown.
struct OpCost {
  double macs = 0;              // multiply-accumulates of contractions
  double flops = 0;             // operations: 2 for each MAC, and the element-wise work
  double reduction_length = 0;  // k of a contraction
};

// How a kernel of the operator may share a launch (see kernel_fusion.h).
enum class Fusion : std::uint8_t {
  kView,       // no kernel: the output is the input in another form
  kPointwise,  // joins its producer if it has one element for each of the producer's
  kRowwise,    // reduces along the last axis: joins element-wise work on the same rows
  kKernel,     // a kernel of its own whose results element-wise work may join
  kAlone,      // a kernel that nothing joins
};

// The gradients of a node, given the gradients of its outputs.
enum class Gradient : std::uint8_t {
  kNone,         // not differentiable: integers, comparisons, shapes
  kPass,         // the gradient itself, in another form or moved
  kPerInput,     // `flops` per output element for every input with a gradient
  kOnce,         // `flops` per element of the first input, all gradients together
  kContraction,  // the forward MACs for every operand with a gradient
};

// The values of the forward pass that the backward pass reads.
enum class Saved : std::uint8_t {
  kNothing,
  kOtherInputs,  // the gradient of an input needs the other inputs: products
  kInputs,
  kOutput,
};

struct CostRule {
  OpClass op_class = OpClass::kOther;
  OpCost (*forward)(const workload::OpContext&, Terms&) = nullptr;
  std::string_view formula;  // of the operations, in the terms
  Fusion fusion = Fusion::kKernel;
  Gradient gradient = Gradient::kNone;
  double gradient_flops = 0;
  Saved saved = Saved::kNothing;
  // True: the operator reads only as much of its first input as it writes (Gather, Slice).
  bool reads_part = false;
  // Forward operations per element of the first input if training differs from inference: batch
  // statistics, dropout. 0: no difference.
  double training_flops = 0;
};

}  // namespace ridgewatt::workload
