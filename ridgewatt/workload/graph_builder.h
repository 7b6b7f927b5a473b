// Builds an ONNX graph in code that follows the description of the architecture in its paper:
//
//   GraphBuilder g("lenet5", 17);
//   auto x = g.input("input", {"batch", 1, 28, 28});
//   x = g.max_pool(g.relu(g.conv(x, 6, {.kernel = 5, .padding = 2})), 2, 2);
//   x = g.linear(g.flatten(x, 16 * 5 * 5), 10);
//   g.output(x, "output", {"batch", 10});
//   std::string onnx = g.serialize();
//
// Weights have a shape but no values: they are initializers in an external file that does not
// exist, as exporters write them when weights are left out. Nodes and weights are named after the
// scope in which they are created ("layer1.0/Conv_1", "layer1.0/Conv_1.weight").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ridgewatt::workload {

class GraphBuilder {
 public:
  // A tensor of the graph, by its number; a value without one is an optional input that is absent.
  // `channels` is the length of the axis on which layers act: axis 1 of images, the last axis of
  // sequences and rows.
  struct Value {
    int tensor = -1;
    std::int64_t channels = 0;
    bool absent() const { return tensor < 0; }
  };
  struct Dim {
    Dim(int value) : value(value) {}                         // NOLINT: a literal is a dimension
    Dim(std::int64_t value) : value(value) {}                // NOLINT
    Dim(const char* symbol) : value(std::string(symbol)) {}  // NOLINT
    Dim(std::string symbol) : value(std::move(symbol)) {}    // NOLINT
    std::variant<std::int64_t, std::string> value;
  };
  using Dims = std::vector<Dim>;
  struct Inputs {  // refers to its argument
    Inputs(std::initializer_list<Value> list) : values(list.begin(), list.size()) {}  // NOLINT
    Inputs(const std::vector<Value>& list) : values(list) {}                          // NOLINT
    std::span<const Value> values;
  };
  struct Attribute {
    std::string_view name;
    std::variant<std::int64_t, double, std::string_view, std::vector<std::int64_t>> value;
  };
  struct ConvOptions {
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t groups = 1;
    bool bias = true;
    // Width of a window that is not square; its sides are padded by width / 2. 0: `kernel`.
    std::int64_t width = 0;
  };
  enum class Element { kFloat, kInt64 };

  // `opset`: version of the standard operators.
  GraphBuilder(std::string_view name, int opset);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // While the returned object exists, new names begin with `name`. Scopes nest ("layer1.0").
  class Scope {
   public:
    Scope(GraphBuilder& graph, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& graph_;
    std::string outer_;
  };
  Scope scope(std::string_view name) { return Scope(*this, name); }
  // Names nodes by operator and index among all nodes ("Conv_9"), like older exporters, regardless
  // of the scope. Call it before the first node.
  void number_nodes() { numbered_ = true; }

  // Adds graph inputs and outputs. Channels are axis 1 of a four-dimensional input, otherwise the
  // last axis.
  Value input(std::string_view name, const Dims& dims, Element element = Element::kFloat);
  void output(const Value& value, std::string_view name, const Dims& dims);
  // Stores the default value of a symbol in the model.
  void default_dim(std::string_view symbol, std::int64_t value);
  // Stores in the model that the symbol must be a multiple of `value`.
  void dim_multiple(std::string_view symbol, std::int64_t value);

  // A weight without values, with the name `name` in the current scope.
  Value parameter(std::string_view name, const std::vector<std::int64_t>& dims);
  // The tensor with this name, such as a parameter that several layers share.
  Value named(std::string_view name, std::int64_t channels);
  // Constants with values. A scalar has no dimensions.
  Value constant(const std::vector<std::int64_t>& values);
  Value constant(const std::vector<float>& values, const std::vector<std::int64_t>& dims);
  Value constant(const std::vector<std::int8_t>& values, const std::vector<std::int64_t>& dims);
  Value scalar(float value) { return constant(std::vector<float>{value}, {}); }

  // Adds any operator. The outputs have the channels of the first input.
  std::vector<Value> node(std::string_view op, const Inputs& inputs,
                          const std::vector<Attribute>& attributes, int output_count);
  Value op(std::string_view op, const Inputs& inputs,
           const std::vector<Attribute>& attributes = {});
  // Adds an operator that reads `x` and its own weights, which are named after the node.
  struct Weight {
    std::string_view name;
    std::vector<std::int64_t> dims;
  };
  Value layer(std::string_view op, const Value& x, const std::vector<Weight>& weights,
              const std::vector<Attribute>& attributes, std::int64_t out_channels);

  // Layers on images [batch, channels, height, width].
  Value conv(const Value& x, std::int64_t out_channels, const ConvOptions& options);
  Value batch_norm(const Value& x, double epsilon = 1e-5);
  // `round_up`: includes a last window that extends beyond the image.
  Value max_pool(const Value& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0,
                 bool round_up = false);
  Value average_pool(const Value& x, std::int64_t kernel, std::int64_t stride,
                     std::int64_t padding = 0);
  Value global_average_pool(const Value& x) { return op("GlobalAveragePool", {x}); }
  Value flatten(const Value& x, std::int64_t features);  // [batch, features]
  Value upsample(const Value& x, int factor);            // nearest neighbor

  // Layers on the last axis.
  Value linear(const Value& x, std::int64_t out_features);  // Gemm: x is [rows, features]
  Value dense(const Value& x, std::int64_t out_features, bool bias = true);  // MatMul and Add
  Value layer_norm(const Value& x, double epsilon);
  Value gelu(const Value& x);  // expanded into operators, with the error function
  Value embedding(const Value& ids, std::string_view name, std::int64_t rows, std::int64_t width);

  Value relu(const Value& x) { return op("Relu", {x}); }
  Value relu6(const Value& x);
  Value silu(const Value& x) { return mul(x, op("Sigmoid", {x})); }
  Value add(const Value& a, const Value& b) { return op("Add", {a, b}); }
  Value sub(const Value& a, const Value& b) { return op("Sub", {a, b}); }
  Value mul(const Value& a, const Value& b) { return op("Mul", {a, b}); }
  Value div(const Value& a, const Value& b) { return op("Div", {a, b}); }
  Value matmul(const Value& a, const Value& b);             // channels: those of b
  Value concat(const std::vector<Value>& parts, int axis);  // channels: sum over the parts
  std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, int axis);
  // In `shape`, 0 keeps a dimension and -1 takes the remaining elements. Channels: the last entry.
  Value reshape(const Value& x, const std::vector<std::int64_t>& shape);
  Value transpose(const Value& x, const std::vector<std::int64_t>& permutation);

  // Returns the model as the bytes of an ONNX file.
  std::string serialize() const;

 private:
  struct Model;  // hides the protobuf schema
  std::string unique_name(std::string_view op);
  void add_metadata(std::string_view key, std::int64_t value);
  Value weight(std::string_view full_name, const std::vector<std::int64_t>& dims);
  Value add_tensor(std::string name, std::int64_t channels);
  std::vector<Value> add_node(const std::string& name, std::string_view op, const Inputs& inputs,
                              const std::vector<Attribute>& attributes, int output_count);
  template <typename T>
  Value add_constant(const std::vector<T>& values, const std::vector<std::int64_t>& dims, int type);

  std::unique_ptr<Model> model_;
  std::vector<std::string> tensors_;  // names
  std::string scope_;
  bool numbered_ = false;
  std::map<std::string, int> counts_;  // number of nodes so far, by scope and operator
};

}  // namespace ridgewatt::workload
