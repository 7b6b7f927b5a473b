#include "ridgewatt/workload/graph_builder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "ridgewatt/workload/onnx/onnx.pb.h"

namespace ridgewatt::workload {

struct GraphBuilder::Model {
  onnx::ModelProto proto;
};

namespace {

void set_type(const GraphBuilder::Dims& dims, onnx::TensorProto::DataType type,
              std::string_view name, onnx::ValueInfoProto* info) {
  info->set_name(std::string(name));
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  for (const auto& dim : dims) {
    auto* out = tensor->mutable_shape()->add_dim();
    if (const auto* symbol = std::get_if<std::string>(&dim.value))
      out->set_dim_param(*symbol);
    else
      out->set_dim_value(std::get<std::int64_t>(dim.value));
  }
}

void set_attribute(const GraphBuilder::Attribute& from, onnx::AttributeProto* to) {
  to->set_name(std::string(from.name));
  if (const auto* integer = std::get_if<std::int64_t>(&from.value)) {
    to->set_type(onnx::AttributeProto::INT);
    to->set_i(*integer);
  } else if (const auto* number = std::get_if<double>(&from.value)) {
    to->set_type(onnx::AttributeProto::FLOAT);
    to->set_f(static_cast<float>(*number));
  } else if (const auto* text = std::get_if<std::string_view>(&from.value)) {
    to->set_type(onnx::AttributeProto::STRING);
    to->set_s(std::string(*text));
  } else {
    to->set_type(onnx::AttributeProto::INTS);
    for (const auto value : std::get<std::vector<std::int64_t>>(from.value)) to->add_ints(value);
  }
}

using Ints = std::vector<std::int64_t>;

}  // namespace

GraphBuilder::GraphBuilder(std::string_view name, int opset) : model_(std::make_unique<Model>()) {
  auto& proto = model_->proto;
  proto.set_ir_version(opset >= 23 ? 11 : 8);
  proto.set_producer_name("ridgewatt");
  proto.add_opset_import()->set_version(opset);
  proto.mutable_graph()->set_name(std::string(name));
}

GraphBuilder::~GraphBuilder() = default;

GraphBuilder::Scope::Scope(GraphBuilder& graph, std::string_view name)
    : graph_(graph), outer_(graph.scope_) {
  if (!outer_.empty()) graph.scope_ += '.';
  graph.scope_ += name;
}

GraphBuilder::Scope::~Scope() {
  graph_.scope_ = outer_;
}

std::string GraphBuilder::unique_name(std::string_view op) {
  if (numbered_) return fmt::format("{}_{}", op, model_->proto.graph().node_size());
  const std::string stem = fmt::format("{}{}{}", scope_, scope_.empty() ? "" : "/", op);
  return fmt::format("{}_{}", stem, counts_[stem]++);
}

GraphBuilder::Value GraphBuilder::input(std::string_view name, const Dims& dims, Element element) {
  set_type(dims, element == Element::kFloat ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64,
           name, model_->proto.mutable_graph()->add_input());
  const auto& channels = dims.size() == 4 ? dims[1] : dims.back();
  const auto* known = std::get_if<std::int64_t>(&channels.value);
  return add_tensor(std::string(name), known != nullptr ? *known : 0);
}

GraphBuilder::Value GraphBuilder::named(std::string_view name, std::int64_t channels) {
  return add_tensor(std::string(name), channels);
}

GraphBuilder::Value GraphBuilder::add_tensor(std::string name, std::int64_t channels) {
  tensors_.push_back(std::move(name));
  return {static_cast<int>(tensors_.size()) - 1, channels};
}

void GraphBuilder::output(const Value& value, std::string_view name, const Dims& dims) {
  auto* graph = model_->proto.mutable_graph();
  set_type(dims, onnx::TensorProto::FLOAT, name, graph->add_output());
  // The producer writes to the output's name, and all readers of the old name read the new one.
  std::string& tensor = tensors_.at(static_cast<std::size_t>(value.tensor));
  for (auto& node : *graph->mutable_node()) {
    for (auto& out : *node.mutable_output()) {
      if (out == tensor) out = name;
    }
    for (auto& in : *node.mutable_input()) {
      if (in == tensor) in = name;
    }
  }
  tensor = name;
}

void GraphBuilder::default_dim(std::string_view symbol, std::int64_t value) {
  add_metadata(fmt::format("ridgewatt.default.{}", symbol), value);
}

void GraphBuilder::dim_multiple(std::string_view symbol, std::int64_t value) {
  add_metadata(fmt::format("ridgewatt.multiple.{}", symbol), value);
}

void GraphBuilder::add_metadata(std::string_view key, std::int64_t value) {
  auto* entry = model_->proto.add_metadata_props();
  entry->set_key(std::string(key));
  entry->set_value(std::to_string(value));
}

GraphBuilder::Value GraphBuilder::parameter(std::string_view name, const Ints& dims) {
  return weight(fmt::format("{}{}{}", scope_, scope_.empty() ? "" : ".", name), dims);
}

GraphBuilder::Value GraphBuilder::weight(std::string_view full_name, const Ints& dims) {
  auto* tensor = model_->proto.mutable_graph()->add_initializer();
  tensor->set_name(std::string(full_name));
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const auto dim : dims) tensor->add_dims(dim);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value(model_->proto.graph().name() + ".onnx.data");
  return add_tensor(std::string(full_name), dims.back());
}

template <typename T>
GraphBuilder::Value GraphBuilder::add_constant(const std::vector<T>& values,
                                               const std::vector<std::int64_t>& dims, int type) {
  const Value value = op("Constant", {});
  auto* graph = model_->proto.mutable_graph();
  auto* attribute = graph->mutable_node(graph->node_size() - 1)->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  auto* tensor = attribute->mutable_t();
  tensor->set_data_type(type);
  for (const auto dim : dims) tensor->add_dims(dim);
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor->set_raw_data(std::move(bytes));
  return {value.tensor, dims.empty() ? 1 : dims.back()};
}

GraphBuilder::Value GraphBuilder::constant(const std::vector<std::int64_t>& values) {
  return add_constant(values, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
}

GraphBuilder::Value GraphBuilder::constant(const std::vector<float>& values,
                                           const std::vector<std::int64_t>& dims) {
  return add_constant(values, dims, onnx::TensorProto::FLOAT);
}

GraphBuilder::Value GraphBuilder::constant(const std::vector<std::int8_t>& values,
                                           const std::vector<std::int64_t>& dims) {
  return add_constant(values, dims, onnx::TensorProto::INT8);
}

std::vector<GraphBuilder::Value> GraphBuilder::add_node(const std::string& name,
                                                        std::string_view op, const Inputs& inputs,
                                                        const std::vector<Attribute>& attributes,
                                                        int output_count) {
  auto* node = model_->proto.mutable_graph()->add_node();
  node->set_op_type(std::string(op));
  node->set_name(name);
  for (const auto& input : inputs.values) {
    node->add_input(input.absent() ? "" : tensors_.at(static_cast<std::size_t>(input.tensor)));
  }
  for (const auto& attribute : attributes) set_attribute(attribute, node->add_attribute());
  std::vector<Value> outputs;
  for (int i = 0; i < output_count; ++i) {
    const std::string output = name + ".out" + (i == 0 ? "" : std::to_string(i));
    node->add_output(output);
    outputs.push_back(add_tensor(output, inputs.values.empty() ? 0 : inputs.values[0].channels));
  }
  return outputs;
}

std::vector<GraphBuilder::Value> GraphBuilder::node(std::string_view op, const Inputs& inputs,
                                                    const std::vector<Attribute>& attributes,
                                                    int output_count) {
  return add_node(unique_name(op), op, inputs, attributes, output_count);
}

GraphBuilder::Value GraphBuilder::op(std::string_view op, const Inputs& inputs,
                                     const std::vector<Attribute>& attributes) {
  return node(op, inputs, attributes, 1)[0];
}

GraphBuilder::Value GraphBuilder::layer(std::string_view op, const Value& x,
                                        const std::vector<Weight>& weights,
                                        const std::vector<Attribute>& attributes,
                                        std::int64_t out_channels) {
  const std::string name = unique_name(op);
  std::vector<Value> inputs = {x};
  for (const auto& w : weights)
    inputs.push_back(weight(fmt::format("{}.{}", name, w.name), w.dims));
  return {add_node(name, op, inputs, attributes, 1)[0].tensor, out_channels};
}

GraphBuilder::Value GraphBuilder::conv(const Value& x, std::int64_t out_channels,
                                       const ConvOptions& o) {
  const std::int64_t width = o.width > 0 ? o.width : o.kernel;
  const std::int64_t side_padding = o.width > 0 ? o.width / 2 : o.padding;
  std::vector<Weight> weights = {
      {"weight", {out_channels, x.channels / o.groups, o.kernel, width}}};
  if (o.bias) weights.push_back({"bias", {out_channels}});
  return layer("Conv", x, weights,
               {{"kernel_shape", Ints{o.kernel, width}},
                {"strides", Ints{o.stride, o.stride}},
                {"pads", Ints{o.padding, side_padding, o.padding, side_padding}},
                {"group", o.groups}},
               out_channels);
}

GraphBuilder::Value GraphBuilder::batch_norm(const Value& x, double epsilon) {
  const Ints dims = {x.channels};
  return layer("BatchNormalization", x,
               {{"weight", dims}, {"bias", dims}, {"mean", dims}, {"variance", dims}},
               {{"epsilon", epsilon}}, x.channels);
}

namespace {

std::vector<GraphBuilder::Attribute> window_attributes(std::int64_t kernel, std::int64_t stride,
                                                       std::int64_t padding) {
  return {{"kernel_shape", Ints{kernel, kernel}},
          {"strides", Ints{stride, stride}},
          {"pads", Ints(4, padding)}};
}

}  // namespace

GraphBuilder::Value GraphBuilder::max_pool(const Value& x, std::int64_t kernel, std::int64_t stride,
                                           std::int64_t padding, bool round_up) {
  std::vector<Attribute> attributes = window_attributes(kernel, stride, padding);
  if (round_up) attributes.push_back({"ceil_mode", std::int64_t{1}});
  return op("MaxPool", {x}, attributes);
}

GraphBuilder::Value GraphBuilder::average_pool(const Value& x, std::int64_t kernel,
                                               std::int64_t stride, std::int64_t padding) {
  return op("AveragePool", {x}, window_attributes(kernel, stride, padding));
}

GraphBuilder::Value GraphBuilder::flatten(const Value& x, std::int64_t features) {
  return {op("Flatten", {x}).tensor, features};
}

GraphBuilder::Value GraphBuilder::upsample(const Value& x, int factor) {
  const auto scale = static_cast<float>(factor);
  const Value scales = constant(std::vector<float>{1, 1, scale, scale}, {4});
  return op("Resize", {x, {}, scales},
            {{"mode", "nearest"},
             {"coordinate_transformation_mode", "asymmetric"},
             {"nearest_mode", "floor"}});
}

GraphBuilder::Value GraphBuilder::linear(const Value& x, std::int64_t out_features) {
  return layer("Gemm", x, {{"weight", {out_features, x.channels}}, {"bias", {out_features}}},
               {{"transB", std::int64_t{1}}}, out_features);
}

GraphBuilder::Value GraphBuilder::dense(const Value& x, std::int64_t out_features, bool bias) {
  const Value y = layer("MatMul", x, {{"weight", {x.channels, out_features}}}, {}, out_features);
  return bias ? layer("Add", y, {{"bias", {out_features}}}, {}, out_features) : y;
}

GraphBuilder::Value GraphBuilder::layer_norm(const Value& x, double epsilon) {
  return layer("LayerNormalization", x, {{"weight", {x.channels}}, {"bias", {x.channels}}},
               {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}}, x.channels);
}

GraphBuilder::Value GraphBuilder::gelu(const Value& x) {
  // Computed one by one, because the compiler chooses the order in which arguments are evaluated.
  const Value one = scalar(1);
  const Value inner = add(op("Erf", {div(x, scalar(std::sqrt(2.0F)))}), one);
  const Value half = scalar(0.5F);
  return mul(mul(x, inner), half);
}

GraphBuilder::Value GraphBuilder::embedding(const Value& ids, std::string_view name,
                                            std::int64_t rows, std::int64_t width) {
  return {op("Gather", {parameter(name, {rows, width}), ids}).tensor, width};
}

GraphBuilder::Value GraphBuilder::relu6(const Value& x) {
  return op("Clip", {x, scalar(0), scalar(6)});
}

GraphBuilder::Value GraphBuilder::matmul(const Value& a, const Value& b) {
  return {op("MatMul", {a, b}).tensor, b.channels};
}

GraphBuilder::Value GraphBuilder::concat(const std::vector<Value>& parts, int axis) {
  Value joined = op("Concat", parts, {{"axis", std::int64_t{axis}}});
  joined.channels = 0;
  for (const auto& part : parts) joined.channels += part.channels;
  return joined;
}

std::vector<GraphBuilder::Value> GraphBuilder::split(const Value& x, const Ints& sizes, int axis) {
  auto parts = node("Split", {x, constant(sizes)}, {{"axis", std::int64_t{axis}}},
                    static_cast<int>(sizes.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].channels = sizes[i];
  return parts;
}

GraphBuilder::Value GraphBuilder::reshape(const Value& x, const Ints& shape) {
  return {op("Reshape", {x, constant(shape)}).tensor, shape.back()};
}

GraphBuilder::Value GraphBuilder::transpose(const Value& x, const Ints& permutation) {
  return op("Transpose", {x}, {{"perm", permutation}});
}

std::string GraphBuilder::serialize() const {
  return model_->proto.SerializeAsString();
}

}  // namespace ridgewatt::workload
