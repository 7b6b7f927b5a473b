// Counts the work of an operator: one rule per operator, which cost_table.h finds by name.
//
// A rule counts the forward pass in named terms ("outputs", "channels") and states the result as a
// formula of these terms. Tests evaluate the formula with the recorded terms and compare it with
// the rule's result. `--explain` prints the formula with numbers, and docs/reference/operators.md
// is generated from it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

class OpContext;

// Receives the terms of a formula, and records them if it was constructed with a list.
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

// Work of one execution of a node in the forward pass. NaN if a relevant extent is unknown.
struct OpCost {
  double macs = 0;              // multiply-accumulates of contractions
  double flops = 0;             // 2 per MAC, and element-wise work
  double reduction_length = 0;  // length of the sum (k) of a contraction
};

// How the kernel of an operator can be fused with others (see kernel_fusion.h).
enum class Fusion : std::uint8_t {
  kView,       // no kernel: the output is the input, rearranged
  kPointwise,  // joins the kernel of its producer if both have the same number of elements
  kRowwise,    // Reduces along the last axis. Joins element-wise work on the same rows.
  kKernel,     // Starts a kernel. Element-wise work may join it.
  kAlone,      // starts a kernel that nothing joins
};

// How to count the cost of a node's gradients, given the gradients of its outputs.
enum class Gradient : std::uint8_t {
  kNone,         // not differentiable: integers, comparisons, shapes
  kPass,         // no operations: the gradient is passed on, possibly rearranged
  kPerInput,     // `gradient_flops` per output element, for every input with a gradient
  kOnce,         // `gradient_flops` per element of the first input, for all gradients together
  kContraction,  // the MACs of the forward pass, for every operand with a gradient
};

// Values of the forward pass that the backward pass reads.
enum class Saved : std::uint8_t {
  kNothing,
  kOtherInputs,  // for products: the gradient of an input needs the other inputs
  kInputs,
  kOutput,
};

struct CostRule {
  OpClass op_class = OpClass::kOther;
  OpCost (*forward)(const workload::OpContext&, Terms&) = nullptr;
  std::string_view formula;  // formula of `flops` in the recorded terms
  Fusion fusion = Fusion::kKernel;
  Gradient gradient = Gradient::kNone;
  double gradient_flops = 0;
  Saved saved = Saved::kNothing;
  // True: reads only as many elements of the first input as it writes (Gather, Slice).
  bool reads_part = false;
  // Forward operations per element of the first input in training, if they differ from inference
  // (batch statistics, dropout). 0: no difference.
  double training_flops = 0;
};

}  // namespace ridgewatt::workload
