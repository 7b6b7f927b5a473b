// The rules for types, shapes and small contents of operators: one entry per operator. Entries are
// in tables by family (ops_conv.cc, ops_matmul.cc ...), and the registry finds an entry by domain
// and name. cost_table.h has the costs of operators.
//
//   constexpr OpEntry kOps[] = {
//       {.name = "Concat", .shape = concat, .fold = fold_concat},
//   };
#pragma once

#include <span>
#include <string_view>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

class InferContext;

// A node with its tensors, the input of a rule. The model must outlive it.
class OpContext {
 public:
  OpContext(const Model& model, const Node& node) : model_(&model), node_(&node) {}

  const Model& model() const { return *model_; }
  const Node& node() const { return *node_; }
  std::size_t input_count() const { return node_->inputs.size(); }
  std::size_t output_count() const { return node_->outputs.size(); }
  // True if the input or output exists and is not kNoTensor.
  bool has_input(std::size_t index) const;
  bool has_output(std::size_t index) const;
  // Throws InputError, naming the node, if the input is absent.
  const Tensor& input(std::size_t index) const;
  const Tensor& output(std::size_t index) const;
  // Throws InputError with the message "node NAME (OP): MESSAGE".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  const Model* model_;
  const Node* node_;
};

using OpRule = void (*)(InferContext&);

struct OpEntry {
  std::string_view name;
  std::string_view domain = "";
  // Sets type and shape of the outputs from types, shapes and small contents of the inputs.
  OpRule shape = nullptr;
  // Sets the content of the outputs if the contents of the inputs are known. Runs after `shape`.
  OpRule fold = nullptr;
};

// Returns the entry of an operator; null if there is none. The domain "" is ai.onnx.
const OpEntry* find_op(std::string_view domain, std::string_view name);
// Returns all entries, sorted by domain and name.
std::span<const OpEntry* const> all_ops();

// The tables of the families.
std::span<const OpEntry> elementwise_ops();
std::span<const OpEntry> conv_ops();
std::span<const OpEntry> pool_ops();
std::span<const OpEntry> matmul_ops();
std::span<const OpEntry> movement_ops();
std::span<const OpEntry> reshape_ops();
std::span<const OpEntry> index_ops();
std::span<const OpEntry> reduce_ops();
std::span<const OpEntry> norm_ops();
std::span<const OpEntry> recurrent_ops();
std::span<const OpEntry> attention_ops();
std::span<const OpEntry> control_ops();
std::span<const OpEntry> generation_ops();
std::span<const OpEntry> quant_ops();
std::span<const OpEntry> sequence_ops();
std::span<const OpEntry> generator_ops();
std::span<const OpEntry> signal_ops();
std::span<const OpEntry> vision_ops();
std::span<const OpEntry> string_ops();
std::span<const OpEntry> ml_ops();
std::span<const OpEntry> training_ops();
std::span<const OpEntry> microsoft_ops();

}  // namespace ridgewatt::workload
