// Networks of the study of training on Jetson boards (Prashanthi et al. 2023;
// github.com/dream-lab/edge-train-bench). ResNet-18 for images of 32x32 (He et al., 2016, section
// 4.2) has no 7x7 convolution and no pooling before the four stages. Here, it normalizes each
// channel of each image. This MobileNetV3-Large widens in every block and halves the image for the
// last time in the second block from the end. It has an activation after a block but none after the
// depthwise convolution, and computes HardSwish with four operators.
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

Value spelled_hard_sigmoid(GraphBuilder& g, const Value& x) {
  const Value shifted = g.add(x, g.scalar(3));
  return g.div(g.relu6(shifted), g.scalar(6));
}

struct StudyBlock {
  int channels, kernel, stride, expanded;
  bool hard_swish, squeeze;
};

Value study_activation(GraphBuilder& g, const Value& x, bool hard_swish) {
  return hard_swish ? g.mul(spelled_hard_sigmoid(g, x), x) : g.relu(x);
}

Value study_gate(GraphBuilder& g, const Value& x) {
  const Value means = g.flatten(g.global_average_pool(x), x.channels);
  const Value squeezed = g.relu(g.linear(means, x.channels / 4));
  const Value gate = spelled_hard_sigmoid(g, g.linear(squeezed, x.channels));
  const Value over_image = g.reshape(gate, {0, x.channels, 1, 1});
  return {g.mul({over_image.tensor, x.channels}, x).tensor, x.channels};
}

Value study_block(GraphBuilder& g, const Value& x, const StudyBlock& b) {
  const Value wide = g.batch_norm(g.conv(x, b.expanded, {.bias = false}));
  Value y = study_activation(g, wide, b.hard_swish);
  y = g.batch_norm(g.conv(
      y, b.expanded,
      {.kernel = b.kernel, .stride = b.stride, .padding = b.kernel / 2, .groups = b.expanded}));
  if (b.squeeze) y = study_gate(g, y);
  y = study_activation(g, g.batch_norm(g.conv(y, b.channels, {})), b.hard_swish);
  return b.stride == 1 && x.channels == b.channels ? g.add(x, y) : y;
}

}  // namespace

std::string mobilenet_v3_gld() {
  constexpr StudyBlock kBlocks[] = {
      {16, 3, 1, 16, false, false}, {24, 3, 2, 64, false, false}, {24, 3, 1, 72, false, false},
      {40, 5, 2, 72, false, true},  {40, 5, 1, 120, false, true}, {40, 5, 1, 120, false, true},
      {80, 3, 2, 240, true, false}, {80, 3, 1, 200, true, false}, {80, 3, 1, 184, true, false},
      {80, 3, 1, 184, true, false}, {112, 3, 1, 480, true, true}, {112, 3, 1, 672, true, true},
      {160, 5, 1, 672, true, true}, {160, 5, 2, 672, true, true}, {160, 5, 1, 960, true, true}};
  constexpr std::int64_t kClasses = 203;  // of GLD23k
  GraphBuilder g("mobilenet_v3_gld", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.batch_norm(g.conv(x, 16, {.kernel = 3, .stride = 2, .padding = 1}));
  x = study_activation(g, x, true);
  int index = 0;
  for (const auto& block : kBlocks) {
    const auto scope = g.scope(fmt::format("block.{}", index++));
    x = study_block(g, x, block);
  }
  x = study_activation(g, g.batch_norm(g.conv(x, 960, {})), true);
  x = study_activation(g, g.conv(g.global_average_pool(x), 1280, {}), true);
  x = g.conv(x, kClasses, {});
  return finish_classifier(g, g.flatten(x, x.channels));
}

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
