// ShuffleNetV2 (Ma et al., 2018) for photographs and for CIFAR, and NeuMF (He et al., 2017). For
// these and ResNet-50, data of training on discrete GPUs under power limits are public.
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

Value plain_unit(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return g.relu(g.batch_norm(g.conv(x, channels, {.bias = false})));
}

Value depthwise_unit(GraphBuilder& g, const Value& x, std::int64_t stride) {
  return g.batch_norm(
      g.conv(x, x.channels,
             {.kernel = 3, .stride = stride, .padding = 1, .groups = x.channels, .bias = false}));
}

// Interleaves the channels of the two halves.
Value shuffle_halves(GraphBuilder& g, const Value& x, std::int64_t side) {
  const std::int64_t channels = x.channels;
  Value y = g.reshape(x, {0, 2, channels / 2, side, side});
  y = g.reshape(g.transpose(y, {0, 2, 1, 3, 4}), {0, channels, side, side});
  y.channels = channels;
  return y;
}

// `inner`: channels before the depthwise convolution. `side`: side of the result, in pixels.
Value shuffle_unit(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t inner,
                   std::int64_t stride, std::int64_t side) {
  const std::int64_t half = channels / 2;
  Value left = x, right = x;
  if (stride == 1) {
    const auto halves = g.split(x, {half, half}, 1);
    left = {halves[0].tensor, half}, right = {halves[1].tensor, half};
  } else {
    left = plain_unit(g, depthwise_unit(g, x, stride), half);
  }
  right = plain_unit(g, right, inner);
  right = plain_unit(g, depthwise_unit(g, right, stride), half);
  return shuffle_halves(g, g.concat({left, right}, 1), side);
}

// `keep_channels`: the first unit of a stage narrows after its depthwise convolution, not before.
std::string finish_shufflenet(GraphBuilder& g, Value x, std::int64_t side, bool keep_channels,
                              std::int64_t classes) {
  struct Stage {
    int channels, units;
  };
  for (const Stage stage : {Stage{116, 4}, {232, 8}, {464, 4}}) {
    side /= 2;
    for (int i = 0; i < stage.units; ++i) {
      const auto scope = g.scope(fmt::format("stage{}.{}", stage.channels, i));
      const std::int64_t inner = i == 0 && keep_channels ? x.channels : stage.channels / 2;
      x = shuffle_unit(g, x, stage.channels, inner, i == 0 ? 2 : 1, side);
    }
  }
  x = plain_unit(g, x, 1024);
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), classes));
}

}  // namespace

std::string shufflenet_v2() {
  GraphBuilder g("shufflenet_v2", 17);
  Value x = g.input("input", {"batch", 3, 224, 224});
  x = g.conv(x, 24, {.kernel = 3, .stride = 2, .padding = 1, .bias = false});
  x = g.max_pool(g.relu(g.batch_norm(x)), 3, 2, 1);
  return finish_shufflenet(g, x, 56, false, 1000);
}

std::string shufflenet_v2_cifar() {
  GraphBuilder g("shufflenet_v2_cifar", 17);
  Value x = g.input("input", {"batch", 3, 32, 32});
  x = g.batch_norm(g.conv(x, 24, {.kernel = 3, .padding = 1}));
  return finish_shufflenet(g, x, 32, true, 100);
}

// For the 6,040 users and 3,706 films of MovieLens 1M.
std::string neumf() {
  constexpr std::int64_t kUsers = 6040, kFilms = 3706, kFactors = 32, kWidth = 4 * kFactors;
  GraphBuilder g("neumf", 17);
  const Value user = g.input("user", {"batch"}, GraphBuilder::Element::kInt64);
  const Value film = g.input("film", {"batch"}, GraphBuilder::Element::kInt64);
  const Value product = g.mul(g.embedding(user, "user_product", kUsers, kFactors),
                              g.embedding(film, "film_product", kFilms, kFactors));
  Value x = g.concat({g.embedding(user, "user_perceptron", kUsers, kWidth),
                      g.embedding(film, "film_perceptron", kFilms, kWidth)},
                     1);
  for (std::int64_t width = kWidth; width >= kFactors; width /= 2) x = g.relu(g.linear(x, width));
  return finish_classifier(g, g.linear(g.concat({product, x}, 1), 1));
}

}  // namespace ridgewatt::workload::zoo_builders
