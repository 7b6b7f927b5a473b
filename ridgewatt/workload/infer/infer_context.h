// The interface for the shape and fold rules of the operators.
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

// One node during inference: inputs are known as far as they ever will be, outputs are to be set.
// Inputs that are absent or of unknown rank have shape() == nullptr; rules leave the outputs that
// depend on them unset.
class InferContext : public OpContext {
 public:
  InferContext(Model& model, Node& node, workload::Interpreter& interpreter)
      : OpContext(model, node), model_(&model), node_(&node), interpreter_(&interpreter) {}

  Node& mutable_node() { return *node_; }
  int opset() const { return node_->opset; }

  // Inputs.
  const Shape* shape(std::size_t input) const;
  DataType dtype(std::size_t input) const;
  // Content with all elements, some of which may be kUnknownInt; nullptr if nothing is known.
  const std::vector<std::int64_t>* ints(std::size_t input) const;
  // Content whose elements are all known; nullptr otherwise.
  const std::vector<std::int64_t>* known_ints(std::size_t input) const;
  const std::vector<double>* known_reals(std::size_t input) const;
  // The only element of a known content; empty otherwise.
  std::optional<std::int64_t> known_int(std::size_t input) const;
  const Constant* constant(std::size_t input) const;

  // An attribute that a later opset turned into an input: the existing one, if known.
  const std::vector<std::int64_t>* ints_of(std::string_view attribute, std::size_t input) const;

  // Outputs; those that the node does not have are ignored.
  void set(std::size_t output, ValueInfo value);
  void set(std::size_t output, DataType dtype, std::optional<Shape> shape = std::nullopt);
  // Attaches content to an output whose type and shape are set; ignored if it does not match.
  void set_content(std::size_t output, Constant content);
  // Number of elements of an output that may get content: static and small; -1 otherwise.
  std::int64_t foldable(std::size_t output) const;

  // `axis` in [-rank, rank) as an index; fails otherwise.
  std::size_t axis(std::int64_t axis, std::size_t rank) const;

  // The batch in the constants of the file and the requested one (see rebatch.h).
  std::int64_t exported_batch() const;
  std::int64_t batch() const;

  // A branch of If whose shapes contradict the inputs counts as not taken (see infer()).
  bool may_drop_branches() const;
  // Loops may still run iteration by iteration; the limit is not reached.
  bool may_follow_loops() const;
  // Values of the symbolic extents.
  const std::map<std::string, std::int64_t>& bound() const;
  // Whether the user gave this extent.
  bool is_given(const std::string& symbol) const;
  void remark(std::string text);
  // The facts about an input of a body: `given`, otherwise those stated in the file.
  ValueInfo with_declared(TensorId input, ValueInfo given) const;
  // The same for an input without a given value: unknown extents are assumed to be 1.
  ValueInfo declared_alone(TensorId input);
  // Runs a body whose inputs are set.
  void run(Graph& body);
  ValueInfo& value(TensorId tensor) { return model_->tensors[static_cast<std::size_t>(tensor)]; }

 private:
  Model* model_;
  Node* node_;
  workload::Interpreter* interpreter_;
};

// Arithmetic on extents: unknown if an operand is, InputError if the result exceeds 2^48.
std::int64_t add_extents(std::int64_t a, std::int64_t b);
std::int64_t multiply_extents(std::int64_t a, std::int64_t b);
// Extent of one axis; unknown if the shape or the axis is.
std::int64_t extent_of(const Shape* shape, std::size_t axis);
// Product of shape[begin, end).
std::int64_t product(const Shape& shape, std::size_t begin, std::size_t end);
// The common extent of two tensors in one axis: the known one.
std::int64_t merge_extents(std::int64_t a, std::int64_t b);

// Numpy's rule; an unknown rank gives no result. Fails if extents contradict each other.
std::optional<Shape> broadcast(const OpContext& context, const Shape* a, const Shape* b);
// The facts about a value that is either a or b.
ValueInfo join(const ValueInfo& a, const ValueInfo& b);
bool same_info(const ValueInfo& a, const ValueInfo& b);

// Elements of `from` at `indices`; an index of -1 is an unknown element.
Constant pick(const Constant& from, const std::vector<std::int64_t>& indices);
// Row-major strides of a static shape.
std::vector<std::int64_t> strides_of(const Shape& shape);

// Rules that many operators share.
void same_as_input(InferContext& context);       // first output: type and shape of the first input
void fold_same_content(InferContext& context);   // content of the first input, in the same order
void same_as_input_bool(InferContext& context);  // the same shape, boolean
void broadcast_all(InferContext& context);       // type of the first input, all shapes broadcast

}  // namespace ridgewatt::workload
