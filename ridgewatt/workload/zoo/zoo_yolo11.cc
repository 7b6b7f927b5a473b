// The one-stage detector YOLO11 (Jocher and Qiu, 2024) in its five sizes on the 80 classes of COCO,
// as its publisher exports it: every batch normalization is folded into its convolution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// How a size follows from the layout of the largest one.
struct YoloScale {
  double depth;               // of the repeats
  double width;               // of the channels
  std::int64_t max_channels;  // before they are scaled
  bool nested;                // every cross-stage block holds another one

  std::int64_t channels(std::int64_t of_layout) const {
    constexpr double kGrain = 8;
    const auto scaled = static_cast<double>(std::min(of_layout, max_channels)) * width;
    return static_cast<std::int64_t>(std::ceil(scaled / kGrain) * kGrain);
  }
  int repeats(int of_layout) const {
    return std::max(static_cast<int>(std::lround(of_layout * depth)), 1);
  }
};

Value folded_conv(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel = 1,
                  std::int64_t groups = 1) {
  return g.conv(x, channels, {.kernel = kernel, .padding = kernel / 2, .groups = groups});
}

Value folded_silu(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel = 1,
                  std::int64_t groups = 1) {
  return g.silu(folded_conv(g, x, channels, kernel, groups));
}

Value halve(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return g.silu(g.conv(x, channels, {.kernel = 3, .stride = 2, .padding = 1}));
}

Value residual_pair(GraphBuilder& g, const Value& x, std::int64_t inner) {
  return g.add(x, folded_silu(g, folded_silu(g, x, inner, 3), x.channels, 3));
}

// C3k: two bottlenecks in parallel with a 1x1 convolution.
Value nested_stage(GraphBuilder& g, const Value& x) {
  constexpr int kBottlenecks = 2;
  const std::int64_t half = x.channels / 2;
  Value deep = folded_silu(g, x, half);
  for (int i = 0; i < kBottlenecks; ++i) deep = residual_pair(g, deep, half);
  const Value side = folded_silu(g, x, half);
  return folded_silu(g, g.concat({deep, side}, 1), x.channels);
}

struct StageShape {
  std::int64_t channels;
  int repeats;
  bool nested;
  double inner = 0.5;  // share of the channels that go through the bottlenecks
};

// C3k2: a cross-stage partial block all of whose bottlenecks reach the last convolution.
Value cross_stage_block(GraphBuilder& g, const Value& x, const StageShape& s) {
  const auto inner = static_cast<std::int64_t>(static_cast<double>(s.channels) * s.inner);
  auto parts = g.split(folded_silu(g, x, 2 * inner), {inner, inner}, 1);
  for (int i = 0; i < s.repeats; ++i) {
    const Value& in = parts.back();
    parts.push_back(s.nested ? nested_stage(g, in) : residual_pair(g, in, inner / 2));
  }
  return folded_silu(g, g.concat(parts, 1), s.channels);
}

// Attention between the cells of a map, with keys half as wide as the values; a depthwise
// convolution of the values tells where they lie.
Value cell_attention(GraphBuilder& g, const Value& x) {
  constexpr std::int64_t kHead = 64;
  constexpr std::int64_t kKey = kHead / 2;
  const std::int64_t heads = x.channels / kHead;
  const Value mixed = folded_conv(g, x, heads * (2 * kKey + kHead));
  const Value map_shape = g.op("Shape", {x});
  const Value by_head = g.reshape(mixed, {0, heads, 2 * kKey + kHead, -1});
  const auto parts = g.split(by_head, {kKey, kKey, kHead}, 2);
  const Value query = g.transpose(parts[0], {0, 1, 3, 2});
  const Value scores = g.matmul(query, parts[1]);
  const Value scaled = g.mul(scores, g.scalar(1 / std::sqrt(static_cast<float>(kKey))));
  const Value weights = g.op("Softmax", {scaled}, {{"axis", std::int64_t{-1}}});
  const Value turned = g.transpose(weights, {0, 1, 3, 2});
  const Value attended = g.matmul(parts[2], turned);
  const Value out = {g.op("Reshape", {attended, map_shape}).name, x.channels};
  const Value values = {g.op("Reshape", {parts[2], map_shape}).name, x.channels};
  const Value placed = g.add(out, folded_conv(g, values, x.channels, 3, x.channels));
  return folded_conv(g, placed, x.channels);
}

// C2PSA: half of the channels go through blocks of attention and two 1x1 convolutions.
Value attention_stage(GraphBuilder& g, const Value& x, int repeats) {
  const std::int64_t half = x.channels / 2;
  const auto parts = g.split(folded_silu(g, x, x.channels), {half, half}, 1);
  Value y = parts[1];
  for (int i = 0; i < repeats; ++i) {
    y = g.add(y, cell_attention(g, y));
    y = g.add(y, folded_conv(g, folded_silu(g, y, 2 * half), half));
  }
  return folded_silu(g, g.concat({parts[0], y}, 1), x.channels);
}

// The map of a level: boxes by full convolutions, classes by depthwise-separable ones.
Value detect_separably(GraphBuilder& g, const Value& x, const HeadWidths& widths, int level) {
  const auto scope = g.scope(fmt::format("detect.{}", level));
  Value boxes = folded_silu(g, folded_silu(g, x, widths.boxes, 3), widths.boxes, 3);
  boxes = folded_conv(g, boxes, kBoxChannels);
  Value classes = x;
  for (int i = 0; i < 2; ++i) {
    classes = folded_silu(g, classes, classes.channels, 3, classes.channels);
    classes = folded_silu(g, classes, widths.classes);
  }
  return g.concat({boxes, folded_conv(g, classes, kCocoClasses)}, 1);
}

std::string finish_levels(GraphBuilder& g, const Value& fine, const Value& middle,
                          const Value& coarse) {
  const HeadWidths widths = {std::max(fine.channels / 4, std::int64_t{kBoxChannels}),
                             std::max(fine.channels, std::int64_t{kCocoClasses})};
  std::vector<DetectionLevel> levels;
  levels.push_back({detect_separably(g, fine, widths, 0), 8});
  levels.push_back({detect_separably(g, middle, widths, 1), 16});
  levels.push_back({detect_separably(g, coarse, widths, 2), 32});
  return finish_detector(g, levels);
}

std::string yolo11(const std::string& name, const YoloScale& scale) {
  GraphBuilder g(name, 17);
  const auto wide = [&](std::int64_t channels) { return scale.channels(channels); };
  const auto stage = [&](const Value& x, std::int64_t channels, bool nested, double inner = 0.5) {
    return cross_stage_block(g, x,
                             {wide(channels), scale.repeats(2), nested || scale.nested, inner});
  };
  Value x = halve(g, square_images(g, 640), wide(64));
  x = stage(halve(g, x, wide(128)), 256, false, 0.25);
  const Value p3 = stage(halve(g, x, wide(256)), 512, false, 0.25);
  const Value p4 = stage(halve(g, p3, wide(512)), 512, true);
  x = stage(halve(g, p4, wide(1024)), 1024, true);
  const Value pooled = pooling_pyramid(g, folded_silu(g, x, x.channels / 2));
  const Value p5 = attention_stage(g, folded_silu(g, pooled, wide(1024)), scale.repeats(2));

  const Value up4 = stage(g.concat({g.upsample(p5, 2), p4}, 1), 512, false);
  const Value fine = stage(g.concat({g.upsample(up4, 2), p3}, 1), 256, false);
  const Value middle = stage(g.concat({halve(g, fine, wide(256)), up4}, 1), 512, false);
  const Value coarse = stage(g.concat({halve(g, middle, wide(512)), p5}, 1), 1024, true);
  return finish_levels(g, fine, middle, coarse);
}

}  // namespace

std::string yolo11n() {
  return yolo11("yolo11n", {0.50, 0.25, 1024, false});
}

std::string yolo11s() {
  return yolo11("yolo11s", {0.50, 0.50, 1024, false});
}

std::string yolo11m() {
  return yolo11("yolo11m", {0.50, 1.00, 512, true});
}

std::string yolo11l() {
  return yolo11("yolo11l", {1.00, 1.00, 512, true});
}

std::string yolo11x() {
  return yolo11("yolo11x", {1.00, 1.50, 512, true});
}

}  // namespace ridgewatt::workload::zoo_builders
