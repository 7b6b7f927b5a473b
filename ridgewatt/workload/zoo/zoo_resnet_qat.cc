// ResNet-18 as PyTorch exports it after quantization-aware training. A pair of QuantizeLinear and
// DequantizeLinear (INT8) is on the input and the weight of each convolution and of the classifier,
// but not on the shortcut of a block. There is one scale per tensor of activations and one per
// channel of weights. Weights stay FP32 in the file, and batch normalization stays in the graph,
// because it cannot be folded into a quantized weight. Node numbers are those of the export of
// TensorRT 10.13's example engine (trt-engine-explorer, resnet18 qat). All scales are 1, as the
// model has no weights.
#include <fmt/format.h>

#include <cstdint>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

constexpr std::int64_t kInt8Type = 3;  // TensorProto.DataType

Value quantize_there_and_back(GraphBuilder& g, const Value& x, const Value& scale,
                              const Value& zero) {
  const bool per_channel = scale.channels > 1;
  const std::vector<GraphBuilder::Attribute> axis =
      per_channel ? std::vector<GraphBuilder::Attribute>{{"axis", std::int64_t{0}}}
                  : std::vector<GraphBuilder::Attribute>{};
  const Value stored = g.op("QuantizeLinear", {x, scale, zero}, axis);
  return g.op("DequantizeLinear", {stored, scale, zero}, axis);
}

Value quantized_activation(GraphBuilder& g, const Value& x) {
  const Value scale = g.scalar(1);
  const Value zero = g.constant(std::vector<std::int8_t>{0}, {});
  return quantize_there_and_back(g, x, scale, zero);
}

// A weight of the current scope, quantized along its first axis.
Value quantized_weight(GraphBuilder& g, const std::string& name,
                       const std::vector<std::int64_t>& dims) {
  const Value weight = g.parameter(name + ".weight", dims);
  const auto channels = static_cast<std::size_t>(dims[0]);
  const Value scale = g.constant(std::vector<float>(channels, 1.0F), {dims[0]});
  const Value wide_zero = g.constant(std::vector<std::int64_t>(channels, 0));
  const Value zero = g.op("Cast", {wide_zero}, {{"to", kInt8Type}});
  return quantize_there_and_back(g, weight, scale, zero);
}

struct ConvShape {
  std::int64_t channels;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
};

Value quantized_conv_bn(GraphBuilder& g, const Value& x, const std::string& name,
                        const ConvShape& s) {
  using Ints = std::vector<std::int64_t>;
  const Value in = quantized_activation(g, x);
  const Value weight = quantized_weight(g, name, {s.channels, x.channels, s.kernel, s.kernel});
  Value y = g.op("Conv", {in, weight},
                 {{"kernel_shape", Ints{s.kernel, s.kernel}},
                  {"strides", Ints{s.stride, s.stride}},
                  {"pads", Ints(4, s.kernel / 2)},
                  {"group", std::int64_t{1}}});
  y.channels = s.channels;
  return g.batch_norm(y);
}

Value quantized_block(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  Value y = g.relu(quantized_conv_bn(g, x, "conv1", {width, 3, stride}));
  y = quantized_conv_bn(g, y, "conv2", {width, 3});
  const bool same = stride == 1 && x.channels == width;
  const Value side = same ? x : quantized_conv_bn(g, x, "downsample.0", {width, 1, stride});
  return g.relu(g.add(y, side));
}

}  // namespace

std::string resnet18_qat() {
  GraphBuilder g("resnet18_qat", 17);
  g.number_nodes();
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.max_pool(g.relu(quantized_conv_bn(g, x, "conv1", {64, 7, 2})), 3, 2, 1);
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < 2; ++i) {
      const auto scope = g.scope(fmt::format("layer{}.{}", stage + 1, i));
      x = quantized_block(g, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  x = quantized_activation(g, g.flatten(g.global_average_pool(x), x.channels));
  const Value weight = quantized_weight(g, "fc", {1000, x.channels});
  const Value bias = g.parameter("fc.bias", {1000});
  x = g.op("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}});
  x.channels = bias.channels;
  return finish_classifier(g, x);
}

}  // namespace ridgewatt::workload::zoo_builders
