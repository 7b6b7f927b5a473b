// Classifiers that concatenate the results of earlier layers: SqueezeNet and DenseNet.
#include <fmt/format.h>

#include <span>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// A 1x1 convolution that narrows to `squeezed`, then 1x1 and 3x3 convolutions in parallel.
Value fire(GraphBuilder& g, const Value& x, std::int64_t squeezed) {
  const std::int64_t expanded = 4 * squeezed;
  const Value s = g.relu(g.conv(x, squeezed, {}));
  const Value one = g.relu(g.conv(s, expanded, {}));
  const Value three = g.relu(g.conv(s, expanded, {.kernel = 3, .padding = 1}));
  return g.concat({one, three}, 1);
}

constexpr int kHalve = 0;

// `plan`: squeezed channels of the modules; kHalve halves the image.
std::string squeezenet(const std::string& name, std::int64_t channels, std::int64_t kernel,
                       std::span<const int> plan) {
  GraphBuilder g(name, 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.relu(g.conv(x, channels, {.kernel = kernel, .stride = 2}));
  int index = 2;  // the paper counts the first convolution as 1
  for (const int squeezed : plan) {
    if (squeezed == kHalve) {
      x = g.max_pool(x, 3, 2, 0, true);
      continue;
    }
    const auto scope = g.scope(fmt::format("fire{}", index++));
    x = fire(g, x, squeezed);
  }
  x = g.relu(g.conv(x, 1000, {}));
  return finish_classifier(g, g.flatten(g.global_average_pool(x), x.channels));
}

// Normalization and ReLU come before the convolution.
Value dense_layer(GraphBuilder& g, const Value& x) {
  constexpr std::int64_t kGrowth = 32;
  Value y = g.conv(g.relu(g.batch_norm(x)), 4 * kGrowth, {.bias = false});
  y = g.conv(g.relu(g.batch_norm(y)), kGrowth, {.kernel = 3, .padding = 1, .bias = false});
  return g.concat({x, y}, 1);
}

}  // namespace

std::string squeezenet1_0() {
  constexpr int kPlan[] = {kHalve, 16, 16, 32, kHalve, 32, 48, 48, 64, kHalve, 64};
  return squeezenet("squeezenet1_0", 96, 7, kPlan);
}

std::string squeezenet1_1() {
  constexpr int kPlan[] = {kHalve, 16, 16, kHalve, 32, 32, kHalve, 48, 48, 64, 64};
  return squeezenet("squeezenet1_1", 64, 3, kPlan);
}

std::string densenet121() {
  constexpr int kLayers[] = {6, 12, 24, 16};
  GraphBuilder g("densenet121", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = g.conv(x, 64, {.kernel = 7, .stride = 2, .padding = 3, .bias = false});
  x = g.max_pool(g.relu(g.batch_norm(x)), 3, 2, 1);
  int block = 1;
  for (const int layers : kLayers) {
    if (block > 1) {
      x = g.conv(g.relu(g.batch_norm(x)), x.channels / 2, {.bias = false});
      x = g.average_pool(x, 2, 2);
    }
    for (int i = 1; i <= layers; ++i) {
      const auto scope = g.scope(fmt::format("block{}.layer{}", block, i));
      x = dense_layer(g, x);
    }
    ++block;
  }
  x = g.relu(g.batch_norm(x));
  return finish_classifier(g, g.linear(g.flatten(g.global_average_pool(x), x.channels), 1000));
}

}  // namespace ridgewatt::workload::zoo_builders
