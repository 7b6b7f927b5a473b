// Residual networks (He et al., 2016) with the stride in the 3x3 convolution of a bottleneck, as in
// torchvision, and their grouped form ResNeXt (Xie et al., 2017).
#include <fmt/format.h>
#include <array>
#include <functional>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

struct ConvShapeBn {
  std::int64_t channels;
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

Value conv_bn(GraphBuilder& g, const Value& x, const ConvShapeBn& s) {
  return g.batch_norm(g.conv(x, s.channels,
                             {.kernel = s.kernel,
                              .stride = s.stride,
                              .padding = s.kernel / 2,
                              .groups = s.groups,
                              .bias = false}));
}

Value shortcut(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t stride) {
  return stride == 1 && x.channels == channels ? x : conv_bn(g, x, {channels, 1, stride});
}

// Adds one block: `width` is 64, 128, 256 or 512 by stage.
using ResidualBlock =
    std::function<Value(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride)>;

Value basic_block(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  const Value y = g.relu(conv_bn(g, x, {width, 3, stride}));
  const Value side = shortcut(g, x, width, stride);
  return g.relu(g.add(conv_bn(g, y, {width, 3}), side));
}

// `inner`: channels of the 3x3 convolution.
Value bottleneck(GraphBuilder& g, const Value& x, std::int64_t width, const ConvShapeBn& inner) {
  Value y = g.relu(conv_bn(g, x, {inner.channels, 1}));
  y = g.relu(conv_bn(g, y, inner));
  const Value side = shortcut(g, x, 4 * width, inner.stride);
  return g.relu(g.add(conv_bn(g, y, {4 * width, 1}), side));
}

Value plain_bottleneck(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  return bottleneck(g, x, width, {width, 3, stride});
}

// 32 groups of 4 channels in the first stage, "32x4d".
Value grouped_bottleneck(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  return bottleneck(g, x, width, {2 * width, 3, stride, 32});
}

// Returns the output of each of the four stages.
std::array<Value, 4> stages(GraphBuilder& g, const Value& image, const ResidualBlock& block,
                            const std::array<int, 4>& depths) {
  std::array<Value, 4> outputs;
  Value x = g.max_pool(g.relu(conv_bn(g, image, {64, 7, 2})), 3, 2, 1);
  for (std::size_t stage = 0; stage < depths.size(); ++stage) {
    for (int i = 0; i < depths[stage]; ++i) {
      const auto scope = g.scope(fmt::format("layer{}.{}", stage + 1, i));
      x = block(g, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
    outputs[stage] = x;
  }
  return outputs;
}

std::string resnet(const std::string& name, const ResidualBlock& block,
                   const std::array<int, 4>& depths) {
  GraphBuilder g(name, 17);
  const Value image = g.input("input", {"batch", 3, 224, 224});
  const Value x = stages(g, image, block, depths).back();
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), 1000));
}

constexpr std::array kDepths50 = {3, 4, 6, 3};

}  // namespace

std::string resnet18() {
  return resnet("resnet18", basic_block, {2, 2, 2, 2});
}

std::string resnet50() {
  return resnet("resnet50", plain_bottleneck, kDepths50);
}

std::string resnext50_32x4d() {
  return resnet("resnext50_32x4d", grouped_bottleneck, kDepths50);
}

std::array<Value, 4> resnext50_stages(GraphBuilder& g, const Value& image) {
  return stages(g, image, grouped_bottleneck, kDepths50);
}

}  // namespace ridgewatt::workload::zoo_builders
