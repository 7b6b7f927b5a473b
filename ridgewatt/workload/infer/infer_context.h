// The interface through which the shape and fold rules of operators read inputs and set outputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

class Interpreter;

// One node during inference. Its inputs are completely inferred; a rule sets its outputs. shape()
// returns null for inputs that are absent or have an unknown rank. If an output depends on such an
// input, the rule does not set it.
class InferContext : public OpContext {
 public:
  InferContext(Model& model, Node& node, workload::Interpreter& interpreter)
      : OpContext(model, node), model_(&model), node_(&node), interpreter_(&interpreter) {}

  Node& mutable_node() { return *node_; }
  int opset() const { return node_->opset; }

  // Inputs.
  const Shape* shape(std::size_t input) const;
  DataType dtype(std::size_t input) const;
  // Content; some elements may be kUnknownInt. Null if nothing is known.
  const std::vector<std::int64_t>* ints(std::size_t input) const;
  // Content whose elements are all known; otherwise null.
  const std::vector<std::int64_t>* known_ints(std::size_t input) const;
  const std::vector<double>* known_reals(std::size_t input) const;
  // The only element of a known content of one element; otherwise empty.
  std::optional<std::int64_t> known_int(std::size_t input) const;
  const Constant* constant(std::size_t input) const;

  // Value of the attribute or of the input that replaced it in a later opset. Null if
  // unknown.
  const std::vector<std::int64_t>* ints_of(std::string_view attribute, std::size_t input) const;

  // Outputs. Outputs that the node does not have are ignored.
  void set(std::size_t output, ValueInfo value);
  void set(std::size_t output, DataType dtype, std::optional<Shape> shape = std::nullopt);
  // Attaches content to an output whose type and shape are set. Ignored if the content does not
  // match.
  void set_content(std::size_t output, Constant content);
  // Number of elements of an output that may have content (static shape, small); otherwise -1.
  std::int64_t foldable(std::size_t output) const;

  // Converts `axis` in [-rank, rank) to an index. Calls fail() if it is out of range.
  std::size_t axis(std::int64_t axis, std::size_t rank) const;

  // The batch in the constants of the file, and the requested batch (see rebatch.h).
  std::int64_t exported_batch() const;
  std::int64_t batch() const;

  // True if a branch of an If whose shapes contradict the inputs counts as not taken (see infer()).
  bool may_drop_branches() const;
  // True if the limit for running loops iteration by iteration is not reached.
  bool may_follow_loops() const;
  // Values of the symbolic extents.
  const std::map<std::string, std::int64_t>& bound() const;
  // True if the user gave the value of this extent.
  bool is_given(const std::string& symbol) const;
  void remark(std::string text);
  // Returns the known properties of a body's input: `given`, completed by those in the file.
  ValueInfo with_declared(TensorId input, ValueInfo given) const;
  // Like with_declared(), for an input without a given value. An unknown extent is assumed to be
  // the batch if its name is that of a batch, otherwise 1.
  ValueInfo declared_alone(TensorId input);
  // Infers a body whose inputs are set.
  void run(Graph& body);
  ValueInfo& value(TensorId tensor) { return model_->tensors[static_cast<std::size_t>(tensor)]; }

 private:
  Model* model_;
  Node* node_;
  workload::Interpreter* interpreter_;
};

// Arithmetic on extents. Unknown if an operand is unknown. Throws InputError if the result exceeds
// 2^48.
std::int64_t add_extents(std::int64_t a, std::int64_t b);
std::int64_t multiply_extents(std::int64_t a, std::int64_t b);
// Extent of one axis; unknown if the shape or the axis is unknown.
std::int64_t extent_of(const Shape* shape, std::size_t axis);
// Product of shape[begin, end).
std::int64_t product(const Shape& shape, std::size_t begin, std::size_t end);
// Extent of a common axis of two tensors, from the tensor in which it is known.
std::int64_t merge_extents(std::int64_t a, std::int64_t b);

// Shape of `a` and `b` broadcast by numpy's rule. Empty if a rank is unknown. Calls fail() if
// extents contradict each other.
std::optional<Shape> broadcast(const OpContext& context, const Shape* a, const Shape* b);
// Returns the properties that are known if a value is either a or b.
ValueInfo join(const ValueInfo& a, const ValueInfo& b);
bool same_info(const ValueInfo& a, const ValueInfo& b);

// Returns the elements of `from` at `indices`. An index of -1 gives an unknown element.
Constant pick(const Constant& from, const std::vector<std::int64_t>& indices);
// Row-major strides of a static shape.
std::vector<std::int64_t> strides_of(const Shape& shape);

// Rules that many operators share:
// The first output has type and shape of the first input.
void same_as_input(InferContext& context);
void fold_same_content(InferContext& context);   // content of the first input, in the same order
void same_as_input_bool(InferContext& context);  // shape of the first input, type bool
void broadcast_all(InferContext& context);       // type of the first input, all shapes broadcast

}  // namespace ridgewatt::workload
