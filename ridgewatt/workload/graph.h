// A model as a graph of operators over tensors: plain values that the reader fills and the shape
// inference annotates.
//
// All graphs of a model (the main graph and the bodies of If, Loop and Scan) refer to tensors by
// their index in Model::tensors, so a body refers to a tensor of the enclosing graph like to any
// other. Local functions are already expanded: their nodes are in the graph, named "caller/callee".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/workload/data_type.h"

namespace ridgewatt::workload {

// Extents of a tensor; a scalar has none. kUnknownDim: not known before the model runs.
using Shape = std::vector<std::int64_t>;
inline constexpr std::int64_t kUnknownDim = -1;
// An unknown element of Constant::ints.
inline constexpr std::int64_t kUnknownInt = INT64_MIN;
// No tensor has more elements than this: the reader and the inference refuse larger ones.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;
// Contents are kept of tensors up to this many integers, booleans or strings, or reals.
inline constexpr std::int64_t kMaxConstantInts = 4096;
inline constexpr std::int64_t kMaxConstantFloats = 256;

// Content of a small tensor, row-major. One of the three is used, by element type.
struct Constant {
  std::vector<std::int64_t> ints;  // integers and booleans; kUnknownInt where not known
  std::vector<double> floats;      // reals; NaN where not known
  std::vector<std::string> strings;
};

enum class ValueKind : std::uint8_t { kTensor, kSparseTensor, kSequence, kOptional, kMap, kOpaque };

// The facts about a value before the model runs.
struct ValueInfo {
  ValueKind kind = ValueKind::kTensor;
  DataType dtype = DataType::kUndefined;     // of the elements; of a map: its keys
  std::optional<Shape> shape;                // absent: even the rank is unknown
  std::shared_ptr<const Constant> constant;  // content, when small and known
  // Sequence, optional, map: the type of what is inside.
  std::shared_ptr<const ValueInfo> element;
  // Sequence: its items, when their number is known; optional: one item, or none when empty.
  std::shared_ptr<const std::vector<ValueInfo>> items;

  // All extents are known.
  bool has_static_shape() const;
  // Number of elements, absent when an extent is unknown.
  std::optional<std::int64_t> element_count() const;
  // Bytes in memory with packed sub-byte elements; absent when unknown, 0 for strings.
  std::optional<std::int64_t> byte_count() const;
};

using TensorId = std::int32_t;
inline constexpr TensorId kNoTensor = -1;  // an optional input or output that is not given

enum class TensorRole : std::uint8_t { kActivation, kInput, kInitializer };

// A tensor (or sequence, optional, map) of the model. Initializers are weights and other stored
// constants; their content is read only when small.
struct Tensor : ValueInfo {
  std::string name;
  TensorRole role = TensorRole::kActivation;
  // Depends only on initializers, constants and shapes: a runtime folds it before the first run.
  bool is_constant = false;
  // Type and shape as stated in the file, for inputs and tensors that have them, with the names of
  // the extents ("batch"); a name is empty for a plain number.
  std::shared_ptr<const ValueInfo> declared;
  std::vector<std::string> symbols;
};

struct Graph;

struct Attribute {
  std::string name;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<ValueInfo> tensors;  // of TENSOR(S), SPARSE_TENSOR(S) and TYPE_PROTO(S)
};

struct Node {
  std::string name;  // unique within the model: made from the first output where the file has none
  std::string op;    // operator type, "Conv"
  std::string domain;  // empty for ai.onnx
  int opset = 0;       // version of the domain that the model imports
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<Attribute> attributes;
  std::vector<std::string> subgraph_names;  // "then_branch", "body", ...
  std::vector<Graph> subgraphs;             // in the same order
  // Set by the inference. If: index of the chosen subgraph. Loop, Scan: iterations.
  std::optional<int> taken_branch;
  std::optional<std::int64_t> trip_count;
  std::vector<std::int64_t> body_counts;  // runs of each subgraph, where they differ

  const Attribute* find(std::string_view attribute) const;
  // The attribute's value, or the fallback when it is absent (or of another type).
  std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  double real(std::string_view attribute, double fallback) const;
  std::string_view text(std::string_view attribute, std::string_view fallback) const;
  // Absent attribute: nullptr.
  const std::vector<std::int64_t>* integers(std::string_view attribute) const;
  const Graph* subgraph(std::string_view attribute) const;
  Graph* subgraph(std::string_view attribute);
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;        // in topological order
  std::vector<TensorId> inputs;   // without initializers
  std::vector<TensorId> outputs;  // kNoTensor never occurs
  std::vector<TensorId> initializers;
};

struct Model {
  std::string name;  // of the file without folder and extension, or of the graph
  std::string producer;
  std::int64_t ir_version = 0;
  std::map<std::string, std::int64_t> opsets;  // by domain
  // Sizes of symbolic extents that the model's metadata proposes ("ridgewatt.default.NAME").
  std::map<std::string, std::int64_t> default_dims;
  // Symbolic extents that must be multiples of a number ("ridgewatt.multiple.NAME").
  std::map<std::string, std::int64_t> dim_multiples;
  std::vector<Tensor> tensors;
  Graph graph;
};

// Product of the extents. Absent: an extent is unknown. Throws InputError (naming `where`) if it is
// larger than kMaxElements or an extent is below kUnknownDim.
std::optional<std::int64_t> checked_element_count(const Shape& shape, std::string_view where);

// "2x3x?", "scalar", "?" for an unknown rank; "float32[2x3]", "seq(float32[?])" with the type.
std::string format_shape(const std::optional<Shape>& shape);
std::string format_type(const ValueInfo& value);

// An operator that draws new values in every run (except Dropout, where this is optional).
bool is_random(const Node& node);

}  // namespace ridgewatt::workload
