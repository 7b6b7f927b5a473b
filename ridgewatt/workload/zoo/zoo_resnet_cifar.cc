// ResNet-18 for images of 32x32 (He et al., 2016, section 4.2): no window of 7x7 and no pooling
// before the four stages, and here a normalization of every channel of every image, as the study of
// training on Jetson boards has it (github.com/dream-lab/edge-train-bench).
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

Value conv_instance_norm(GraphBuilder& g, const Value& x, std::int64_t channels,
                         std::int64_t kernel, std::int64_t stride) {
  const Value y = g.conv(
      x, channels, {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
  return g.layer("InstanceNormalization", y, {{"weight", {channels}}, {"bias", {channels}}},
                 {{"epsilon", 1e-5}}, channels);
}

Value instance_norm_block(GraphBuilder& g, const Value& x, std::int64_t channels,
                          std::int64_t stride) {
  const Value y = g.relu(conv_instance_norm(g, x, channels, 3, stride));
  const Value z = conv_instance_norm(g, y, channels, 3, 1);
  const bool same = stride == 1 && x.channels == channels;
  return g.relu(g.add(z, same ? x : conv_instance_norm(g, x, channels, 1, stride)));
}

}  // namespace

std::string resnet18_cifar() {
  GraphBuilder g("resnet18_cifar", 17);
  auto x = g.input("input", {"batch", 3, 32, 32});
  x = g.relu(conv_instance_norm(g, x, 64, 3, 1));
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < 2; ++i) {
      const auto scope = g.scope(fmt::format("layer{}.{}", stage + 1, i));
      x = instance_norm_block(g, x, std::int64_t{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), 10));
}

}  // namespace ridgewatt::workload::zoo_builders
