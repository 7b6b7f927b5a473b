#include "ridgewatt/workload/zoo/yolo_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// Centers 0.5, 1.5, ... of the cells along `axis` of a map, in units of cells.
Value cell_centers(GraphBuilder& g, const Value& map, int axis) {
  const Value length = g.op("Shape", {map}, {{"start", axis}, {"end", axis + 1}});
  const Value count = g.op("Squeeze", {length});
  const Value zero = g.op("Squeeze", {g.constant({0})});
  const Value one = g.op("Squeeze", {g.constant({1})});
  const Value cells = g.op("Cast", {g.op("Range", {zero, count, one})}, {{"to", std::int64_t{1}}});
  return g.add(cells, g.scalar(0.5F));
}

struct Cells {
  std::vector<Value> centers;  // [1, 2, cells] by level
  std::vector<Value> strides;  // [1, cells] by level
};

void add_cells(GraphBuilder& g, const DetectionLevel& level, Cells& cells) {
  const Value size = g.op("Shape", {level.map}, {{"start", std::int64_t{2}}});
  const Value x = g.op("Expand", {cell_centers(g, level.map, 3), size});
  const Value rows = g.op("Unsqueeze", {cell_centers(g, level.map, 2), g.constant({1})});
  const Value y = g.op("Expand", {rows, size});
  const Value first = g.constant({0});
  const Value wide = g.op("Unsqueeze", {x, first});
  const Value high = g.op("Unsqueeze", {y, first});
  cells.centers.push_back(g.reshape(g.concat({wide, high}, 0), {1, 2, -1}));
  const Value one = g.constant({1});
  const Value count = g.concat({one, g.op("ReduceProd", {size})}, 0);
  const Value stride = g.constant(std::vector<float>{static_cast<float>(level.stride)}, {1, 1});
  cells.strides.push_back(g.op("Expand", {stride, count}));
}

// Converts the distributions [batch, kBoxChannels, cells] to boxes [batch, 4, cells] in pixels.
Value decode_boxes(GraphBuilder& g, const Value& distributions, const Cells& cells) {
  Value p = g.transpose(g.reshape(distributions, {0, 4, kBoxBins, -1}), {0, 2, 1, 3});
  p.channels = kBoxBins;
  p = g.op("Softmax", {p}, {{"axis", std::int64_t{1}}});
  const Value distances = g.reshape(g.conv(p, 1, {.bias = false}), {0, 4, -1});
  const auto sides = g.split(distances, {2, 2}, 1);
  const Value center = g.concat(cells.centers, 2);
  const Value low = g.sub(center, sides[0]);
  const Value high = g.add(center, sides[1]);
  const Value two = g.scalar(2);
  const Value middle = g.div(g.add(low, high), two);
  const Value scale = g.concat(cells.strides, 1);
  return g.mul(g.concat({middle, g.sub(high, low)}, 1), scale);
}

// Attention between the cells of a map. The keys are half as wide as the values. A depthwise
// convolution of the values encodes the positions.
Value cell_attention(GraphBuilder& g, const Value& x) {
  constexpr std::int64_t kLeastHead = 64;
  const std::int64_t heads = x.channels / kLeastHead;
  const std::int64_t head = x.channels / heads, key = head / 2;
  const Value mixed = folded_conv(g, x, heads * (2 * key + head));
  const Value map_shape = g.op("Shape", {x});
  const Value by_head = g.reshape(mixed, {0, heads, 2 * key + head, -1});
  const auto parts = g.split(by_head, {key, key, head}, 2);
  const Value query = g.transpose(parts[0], {0, 1, 3, 2});
  const Value scores = g.matmul(query, parts[1]);
  const Value scaled = g.mul(scores, g.scalar(1 / std::sqrt(static_cast<float>(key))));
  const Value weights = g.op("Softmax", {scaled}, {{"axis", std::int64_t{-1}}});
  const Value turned = g.transpose(weights, {0, 1, 3, 2});
  const Value attended = g.matmul(parts[2], turned);
  const Value out = {g.op("Reshape", {attended, map_shape}).tensor, x.channels};
  const Value values = {g.op("Reshape", {parts[2], map_shape}).tensor, x.channels};
  const Value placed = g.add(out, folded_conv(g, values, x.channels, 3, x.channels));
  return folded_conv(g, placed, x.channels);
}

// The output map of a level: boxes by full convolutions, classes by depthwise-separable ones.
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

// Boxes, objectness and scores of a level, [batch, 3 x cells, 5 + kCocoClasses].
Value decode_anchors(GraphBuilder& g, const DetectionLevel& level,
                     const std::array<float, 6>& anchors) {
  constexpr std::int64_t kOutputs = 5 + kCocoClasses;
  Cells cells;
  add_cells(g, level, cells);
  const Value map = g.reshape(level.map, {0, 3, kOutputs, -1});
  const Value outputs = g.op("Sigmoid", {g.transpose(map, {0, 1, 3, 2})});
  const auto parts = g.split(outputs, {2, 2, kOutputs - 4}, 3);
  const Value two = g.scalar(2);
  const Value corners = g.sub(g.transpose(cells.centers[0], {0, 2, 1}), g.scalar(1));
  const Value stride = g.scalar(static_cast<float>(level.stride));
  const Value centers = g.mul(g.add(g.mul(parts[0], two), corners), stride);
  const Value sizes = g.op("Pow", {g.mul(parts[1], two), two});
  const Value boxes = g.constant(std::vector<float>(anchors.begin(), anchors.end()), {1, 3, 1, 2});
  const Value decoded = g.concat({centers, g.mul(sizes, boxes), parts[2]}, 3);
  return g.reshape(decoded, {0, -1, kOutputs});
}

}  // namespace

GraphBuilder::Value square_images(GraphBuilder& g, int default_side) {
  constexpr int kCoarsestStride = 32;
  g.default_dim("image", default_side);
  g.dim_multiple("image", kCoarsestStride);
  return g.input("images", {"batch", 3, "image", "image"});
}

GraphBuilder::Value conv_silu(GraphBuilder& g, const Value& x, std::int64_t channels,
                              std::int64_t kernel, std::int64_t stride, std::int64_t groups) {
  const Value y = g.conv(
      x, channels,
      {.kernel = kernel, .stride = stride, .padding = kernel / 2, .groups = groups, .bias = false});
  return g.silu(g.batch_norm(y, 1e-3));
}

GraphBuilder::Value folded_conv(GraphBuilder& g, const Value& x, std::int64_t channels,
                                std::int64_t kernel, std::int64_t groups) {
  return g.conv(x, channels, {.kernel = kernel, .padding = kernel / 2, .groups = groups});
}

GraphBuilder::Value folded_silu(GraphBuilder& g, const Value& x, std::int64_t channels,
                                std::int64_t kernel, std::int64_t groups) {
  return g.silu(folded_conv(g, x, channels, kernel, groups));
}

GraphBuilder::Value folded_halve(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return g.silu(g.conv(x, channels, {.kernel = 3, .stride = 2, .padding = 1}));
}

std::int64_t LayoutScale::channels(std::int64_t of_layout) const {
  constexpr double kGrain = 8;
  const auto scaled = static_cast<double>(std::min(of_layout, max_channels)) * width;
  return static_cast<std::int64_t>(std::ceil(scaled / kGrain) * kGrain);
}

int LayoutScale::repeats(int of_layout) const {
  return std::max(static_cast<int>(std::lround(of_layout * depth)), 1);
}

GraphBuilder::Value pooling_pyramid(GraphBuilder& g, const Value& x) {
  std::vector<Value> parts = {x};
  for (int i = 0; i < 3; ++i) parts.push_back(g.max_pool(parts.back(), 5, 1, 2));
  return g.concat(parts, 1);
}

GraphBuilder::Value decode_boxes_and_classes(GraphBuilder& g,
                                             const std::vector<DetectionLevel>& levels) {
  std::vector<Value> flat;
  Cells cells;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto scope = g.scope(fmt::format("detect.{}", i));
    flat.push_back(g.reshape(levels[i].map, {0, levels[i].map.channels, -1}));
    add_cells(g, levels[i], cells);
  }
  const auto scope = g.scope("detect");
  const auto parts = g.split(g.concat(flat, 2), {kBoxChannels, kCocoClasses}, 1);
  const Value boxes = decode_boxes(g, parts[0], cells);
  return g.concat({boxes, g.op("Sigmoid", {parts[1]})}, 1);
}

std::vector<DetectionLevel> separable_levels(GraphBuilder& g, const Value& fine,
                                             const Value& middle, const Value& coarse) {
  const HeadWidths widths = {std::max(fine.channels / 4, std::int64_t{kBoxChannels}),
                             std::max(fine.channels, std::int64_t{kCocoClasses})};
  std::vector<DetectionLevel> levels;
  levels.push_back({detect_separably(g, fine, widths, 0), 8});
  levels.push_back({detect_separably(g, middle, widths, 1), 16});
  levels.push_back({detect_separably(g, coarse, widths, 2), 32});
  return levels;
}

std::string finish_detector(GraphBuilder& g, const std::vector<DetectionLevel>& levels) {
  g.output(decode_boxes_and_classes(g, levels), "output0", {"batch", 4 + kCocoClasses, "anchors"});
  return g.serialize();
}

std::string finish_with_anchors(GraphBuilder& g, const std::array<Value, 3>& features,
                                const Anchors& anchors) {
  constexpr std::int64_t kOutputs = 5 + kCocoClasses;
  std::vector<Value> boxes;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto scope = g.scope(fmt::format("detect.{}", i));
    const DetectionLevel level = {g.conv(features[i], 3 * kOutputs, {}), 8 << i};
    boxes.push_back(decode_anchors(g, level, anchors[i]));
  }
  g.output(g.concat(boxes, 1), "output0", {"batch", "anchors", kOutputs});
  return g.serialize();
}

GraphBuilder::Value attention_stage(GraphBuilder& g, const Value& x, int repeats) {
  const std::int64_t half = x.channels / 2;
  const auto parts = g.split(folded_silu(g, x, x.channels), {half, half}, 1);
  Value y = parts[1];
  for (int i = 0; i < repeats; ++i) {
    y = g.add(y, cell_attention(g, y));
    y = g.add(y, folded_conv(g, folded_silu(g, y, 2 * half), half));
  }
  return folded_silu(g, g.concat({parts[0], y}, 1), x.channels);
}

}  // namespace ridgewatt::workload::zoo_builders
