// Classifiers for phones, built from inverted residuals (a 1x1 convolution that widens, a depthwise
// one, a 1x1 convolution that narrows): MobileNetV2, MobileNetV3-Large, EfficientNet-B0.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

enum class Activation { kNone, kRelu, kRelu6, kHardSwish, kSilu };

Value activate(GraphBuilder& g, const Value& x, Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return g.relu(x);
    case Activation::kRelu6:
      return g.relu6(x);
    case Activation::kHardSwish:
      return g.op("HardSwish", {x});
    case Activation::kSilu:
      return g.silu(x);
    case Activation::kNone:
      break;
  }
  return x;
}

struct Unit {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

// Convolution, batch normalization, activation.
Value unit(GraphBuilder& g, const Value& x, std::int64_t channels, const Unit& u,
           Activation activation) {
  const Value y = g.conv(x, channels,
                         {.kernel = u.kernel,
                          .stride = u.stride,
                          .padding = u.kernel / 2,
                          .groups = u.groups,
                          .bias = false});
  return activate(g, g.batch_norm(y), activation);
}

// Squeeze and excitation (Hu et al., 2018): scales each channel by a function of the channel means.
Value squeeze_excite(GraphBuilder& g, const Value& x, std::int64_t squeezed, Activation inner,
                     const std::string& gate) {
  const Value s = activate(g, g.conv(g.global_average_pool(x), squeezed, {}), inner);
  const Value e = g.conv(s, x.channels, {});
  // HardSigmoid with a slope of 1/6, as in training.
  return g.mul(x, gate == "HardSigmoid" ? g.op(gate, {e}, {{"alpha", 1.0 / 6}}) : g.op(gate, {e}));
}

struct Block {
  std::int64_t kernel;
  std::int64_t expanded;
  std::int64_t channels;
  std::int64_t stride;
  std::int64_t squeezed;  // 0: no squeeze and excitation
  Activation activation;
};

Value inverted_residual(GraphBuilder& g, const Value& x, const Block& b) {
  Value y = x;
  if (b.expanded != x.channels) y = unit(g, y, b.expanded, {}, b.activation);
  y = unit(g, y, b.expanded, {b.kernel, b.stride, b.expanded}, b.activation);
  if (b.squeezed > 0) {
    y = b.activation == Activation::kSilu
            ? squeeze_excite(g, y, b.squeezed, Activation::kSilu, "Sigmoid")
            : squeeze_excite(g, y, b.squeezed, Activation::kRelu, "HardSigmoid");
  }
  y = unit(g, y, b.channels, {}, Activation::kNone);
  return b.stride == 1 && x.channels == b.channels ? g.add(x, y) : y;
}

Value pool_to_vector(GraphBuilder& g, const Value& x) {
  return g.flatten(g.global_average_pool(x), x.channels);
}

// A multiple of 8 near `value`, at most a tenth below it.
std::int64_t round_channels(double value) {
  const auto rounded = std::max<std::int64_t>(8, static_cast<std::int64_t>(value + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * value ? rounded + 8 : rounded;
}

}  // namespace

std::string mobilenet_v2() {
  struct Stage {
    int expansion, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  GraphBuilder g("mobilenet_v2", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = unit(g, x, 32, {.kernel = 3, .stride = 2}, Activation::kRelu6);
  int index = 1;
  for (const auto& s : kStages) {
    for (int i = 0; i < s.repeats; ++i) {
      const auto scope = g.scope(fmt::format("features.{}", index++));
      x = inverted_residual(
          g, x,
          {3, x.channels * s.expansion, s.channels, i == 0 ? s.stride : 1, 0, Activation::kRelu6});
    }
  }
  x = unit(g, x, 1280, {}, Activation::kRelu6);
  return finish_classifier(g, g.linear(pool_to_vector(g, x), 1000));
}

std::string mobilenet_v3_large() {
  struct Row {
    int kernel, expanded, channels;
    bool squeeze;
    Activation activation;
    int stride;
  };
  constexpr auto kRe = Activation::kRelu;
  constexpr auto kHs = Activation::kHardSwish;
  constexpr Row kRows[] = {
      // table 1 of the paper
      {3, 16, 16, false, kRe, 1},  {3, 64, 24, false, kRe, 2},  {3, 72, 24, false, kRe, 1},
      {5, 72, 40, true, kRe, 2},   {5, 120, 40, true, kRe, 1},  {5, 120, 40, true, kRe, 1},
      {3, 240, 80, false, kHs, 2}, {3, 200, 80, false, kHs, 1}, {3, 184, 80, false, kHs, 1},
      {3, 184, 80, false, kHs, 1}, {3, 480, 112, true, kHs, 1}, {3, 672, 112, true, kHs, 1},
      {5, 672, 160, true, kHs, 2}, {5, 960, 160, true, kHs, 1}, {5, 960, 160, true, kHs, 1}};
  GraphBuilder g("mobilenet_v3_large", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = unit(g, x, 16, {.kernel = 3, .stride = 2}, kHs);
  int index = 1;
  for (const auto& r : kRows) {
    const auto scope = g.scope(fmt::format("features.{}", index++));
    x = inverted_residual(g, x,
                          {r.kernel, r.expanded, r.channels, r.stride,
                           r.squeeze ? round_channels(r.expanded / 4.0) : 0, r.activation});
  }
  x = unit(g, x, 960, {}, kHs);
  x = activate(g, g.linear(pool_to_vector(g, x), 1280), kHs);
  return finish_classifier(g, g.linear(x, 1000));
}

std::string efficientnet_b0() {
  struct Stage {
    int expansion, kernel, stride, channels, repeats;
  };
  constexpr Stage kStages[] = {{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2},
                               {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
                               {6, 3, 1, 320, 1}};
  GraphBuilder g("efficientnet_b0", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  x = unit(g, x, 32, {.kernel = 3, .stride = 2}, Activation::kSilu);
  int stage = 1;
  for (const auto& s : kStages) {
    for (int i = 0; i < s.repeats; ++i) {
      const auto scope = g.scope(fmt::format("features.{}.{}", stage, i));
      x = inverted_residual(g, x,
                            {s.kernel, x.channels * s.expansion, s.channels, i == 0 ? s.stride : 1,
                             x.channels / 4, Activation::kSilu});
    }
    ++stage;
  }
  x = unit(g, x, 1280, {}, Activation::kSilu);
  return finish_classifier(g, g.linear(pool_to_vector(g, x), 1000));
}

}  // namespace ridgewatt::workload::zoo_builders
