#include "ridgewatt/workload/zoo/yolo_parts.h"

#include <fmt/format.h>

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// 0.5, 1.5 ... in cells, for the cells along `axis` of a map.
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

// The boxes [batch, 4, cells] in pixels from the distributions [batch, kBoxChannels, cells].
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

std::string finish_detector(GraphBuilder& g, const std::vector<DetectionLevel>& levels) {
  g.output(decode_boxes_and_classes(g, levels), "output0", {"batch", 4 + kCocoClasses, "anchors"});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
