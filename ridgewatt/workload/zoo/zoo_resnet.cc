// Residual networks (He et al., 2016) with the stride in the 3x3 convolution of a bottleneck, as
// torchvision trains them.
#include <fmt/format.h>
#include <array>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

Value conv_bn(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel,
              std::int64_t stride) {
  return g.batch_norm(g.conv(
      x, channels, {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false}));
}

Value shortcut(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t stride) {
  return stride == 1 && x.channels == channels ? x : conv_bn(g, x, channels, 1, stride);
}

Value basic_block(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  const Value y = g.relu(conv_bn(g, x, width, 3, stride));
  const Value side = shortcut(g, x, width, stride);
  return g.relu(g.add(conv_bn(g, y, width, 3, 1), side));
}

Value bottleneck(GraphBuilder& g, const Value& x, std::int64_t width, std::int64_t stride) {
  Value y = g.relu(conv_bn(g, x, width, 1, 1));
  y = g.relu(conv_bn(g, y, width, 3, stride));
  const Value side = shortcut(g, x, 4 * width, stride);
  return g.relu(g.add(conv_bn(g, y, 4 * width, 1, 1), side));
}

std::string resnet(const std::string& name, decltype(&basic_block) block,
                   const std::array<int, 4>& depths) {
  GraphBuilder g(name, 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.max_pool(g.relu(conv_bn(g, x, 64, 7, 2)), 3, 2, 1);
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < depths[stage]; ++i) {
      const auto scope = g.scope(fmt::format("layer{}.{}", stage + 1, i));
      x = block(g, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), 1000));
}

}  // namespace

std::string resnet18() {
  return resnet("resnet18", basic_block, {2, 2, 2, 2});
}

std::string resnet50() {
  return resnet("resnet50", bottleneck, {3, 4, 6, 3});
}

}  // namespace ridgewatt::workload::zoo_builders
