// A model as a graph of operators over tensors. The reader (onnx_reader.h) fills it, and the shape
// inference (infer.h) adds types and shapes.
//
// All graphs of a model (the main graph and the bodies of If, Loop and Scan) refer to tensors by
// their index in Model::tensors. A body can therefore refer to tensors of the enclosing graph.
// Local functions are already expanded; their nodes have names like "caller/callee".
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

// Extents of a tensor. A scalar has none. kUnknownDim: not known before the model runs.
using Shape = std::vector<std::int64_t>;
inline constexpr std::int64_t kUnknownDim = -1;
// Unknown element of Constant::ints.
inline constexpr std::int64_t kUnknownInt = INT64_MIN;
// Largest number of elements of a tensor. The reader and the inference reject larger tensors.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;
// The content of a tensor is kept up to this number of elements: the first number is for integers,
// booleans and strings, the second for reals.
inline constexpr std::int64_t kMaxConstantInts = 4096;
inline constexpr std::int64_t kMaxConstantFloats = 256;

// Content of a small tensor, row-major. The element type decides which member is used.
struct Constant {
  std::vector<std::int64_t> ints;  // Integers and booleans. kUnknownInt: not known.
  std::vector<double> floats;      // Reals. NaN: not known.
  std::vector<std::string> strings;
};

enum class ValueKind : std::uint8_t { kTensor, kSparseTensor, kSequence, kOptional, kMap, kOpaque };

// The properties of a value that are known before the model runs.
struct ValueInfo {
  ValueKind kind = ValueKind::kTensor;
  DataType dtype = DataType::kUndefined;     // type of the elements; of a map, type of the keys
  std::optional<Shape> shape;                // absent: the rank is also unknown
  std::shared_ptr<const Constant> constant;  // content, if it is small and known; else null
  // For a sequence, optional or map: type of the contained values.
  std::shared_ptr<const ValueInfo> element;
  // For a sequence: its items, if their number is known. For an optional: one item or, if empty,
  // none.
  std::shared_ptr<const std::vector<ValueInfo>> items;

  // True if all extents are known.
  bool has_static_shape() const;
  // Number of elements; absent if an extent is unknown.
  std::optional<std::int64_t> element_count() const;
  // Bytes in memory, with packed sub-byte elements. Absent if unknown; 0 for strings.
  std::optional<std::int64_t> byte_count() const;
};

using TensorId = std::int32_t;
inline constexpr TensorId kNoTensor = -1;  // an absent optional input or output

enum class TensorRole : std::uint8_t { kActivation, kInput, kInitializer };

// A tensor (or sequence, optional, map) of the model. Initializers are weights and other stored
// constants. Their content is read only if it is small.
struct Tensor : ValueInfo {
  std::string name;
  TensorRole role = TensorRole::kActivation;
  // True if the tensor depends only on initializers, constants and shapes. A runtime then computes
  // it before the first run.
  bool is_constant = false;
  // Type and shape stated in the file, if any, and the names of its extents ("batch"). The name of
  // a numeric extent is empty.
  std::shared_ptr<const ValueInfo> declared;
  std::vector<std::string> symbols;
};

struct Graph;

struct Attribute {
  std::string name;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<ValueInfo> tensors;  // for TENSOR(S), SPARSE_TENSOR(S) and TYPE_PROTO(S)
};

struct Node {
  // Unique within the model. Generated from the first output if the file has none.
  std::string name;
  std::string op;      // operator type, "Conv"
  std::string domain;  // empty for ai.onnx
  int opset = 0;       // version of the domain that the model imports
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<Attribute> attributes;
  std::vector<std::string> subgraph_names;  // "then_branch", "body", ...
  std::vector<Graph> subgraphs;             // in the order of subgraph_names
  // Set by the inference. For If: index of the chosen subgraph. For Loop and Scan: iterations.
  std::optional<int> taken_branch;
  std::optional<std::int64_t> trip_count;
  std::vector<std::int64_t> body_counts;  // runs of each subgraph, if they differ

  const Attribute* find(std::string_view attribute) const;
  // Return the attribute's value, or `fallback` if it is absent or has another type.
  std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  double real(std::string_view attribute, double fallback) const;
  std::string_view text(std::string_view attribute, std::string_view fallback) const;
  // Return null if the attribute is absent.
  const std::vector<std::int64_t>* integers(std::string_view attribute) const;
  const Graph* subgraph(std::string_view attribute) const;
  Graph* subgraph(std::string_view attribute);
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;        // in topological order
  std::vector<TensorId> inputs;   // without initializers
  std::vector<TensorId> outputs;  // never contains kNoTensor
  std::vector<TensorId> initializers;
};

struct Model {
  std::string name;  // name of the file without folder and extension, or name of the graph
  std::string producer;
  std::int64_t ir_version = 0;
  std::map<std::string, std::int64_t> opsets;  // by domain
  // Default values of symbolic extents, from the model's metadata ("ridgewatt.default.NAME").
  std::map<std::string, std::int64_t> default_dims;
  // Symbolic extents must be multiples of these numbers, which come from the metadata
  // ("ridgewatt.multiple.NAME").
  std::map<std::string, std::int64_t> dim_multiples;
  std::vector<Tensor> tensors;
  Graph graph;
};

// Product of the extents. Absent if an extent is unknown. Throws InputError, naming `where`, if the
// product exceeds kMaxElements or an extent is below kUnknownDim.
std::optional<std::int64_t> checked_element_count(const Shape& shape, std::string_view where);

// "2x3x?", "scalar", or "?" for an unknown rank. format_type() adds the type: "float32[2x3]",
// "seq(float32[?])".
std::string format_shape(const std::optional<Shape>& shape);
std::string format_type(const ValueInfo& value);

// True for an operator that draws random values in every run. False for Dropout, which draws them
// only in training.
bool is_random(const Node& node);

}  // namespace ridgewatt::workload
