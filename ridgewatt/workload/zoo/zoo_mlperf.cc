// The detectors of MLPerf's edge suite: RetinaNet with ResNeXt-50 (Lin et al., 2017) and SSD with
// MobileNet v1 (Liu et al., 2016; Howard et al., 2017). The outputs are the scores and box offsets
// of all anchors. Choosing among the anchors is not part of the network.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// One row of `width` numbers per anchor, [batch, anchors, width].
Value rows_of_anchors(GraphBuilder& g, const Value& map, std::int64_t width) {
  return g.reshape(g.transpose(map, {0, 2, 3, 1}), {0, -1, width});
}

void finish_anchors(GraphBuilder& g, const std::vector<Value>& boxes,
                    const std::vector<Value>& classes) {
  const std::int64_t class_count = classes.front().channels;
  const Value scores = g.op("Sigmoid", {g.concat(classes, 1)});
  g.output(g.concat(boxes, 1), "boxes", {"batch", "anchors", 4});
  g.output(scores, "scores", {"batch", "anchors", class_count});
}

constexpr std::int64_t kPyramid = 256;  // channels of the feature pyramid

// Feature pyramid (Lin et al., 2017) on stages 2 to 4 and two coarser levels.
std::vector<Value> feature_pyramid(GraphBuilder& g, const std::array<Value, 4>& features) {
  const auto scope = g.scope("fpn");
  Value top = g.conv(features[3], kPyramid, {});
  std::vector<Value> levels(3);
  levels[2] = g.conv(top, kPyramid, {.kernel = 3, .padding = 1});
  for (const std::size_t stage : {2, 1}) {
    const Value side = g.conv(features[stage], kPyramid, {});
    top = g.add(side, g.upsample(top, 2));
    levels[stage - 1] = g.conv(top, kPyramid, {.kernel = 3, .padding = 1});
  }
  levels.push_back(g.conv(levels[2], kPyramid, {.kernel = 3, .stride = 2, .padding = 1}));
  const Value coarse = g.relu(levels[3]);
  levels.push_back(g.conv(coarse, kPyramid, {.kernel = 3, .stride = 2, .padding = 1}));
  return levels;
}

// Four convolutions and one with `width` outputs per anchor. All levels share the weights.
std::vector<Value> shared_head(GraphBuilder& g, const std::vector<Value>& levels,
                               const std::string& name, std::int64_t width) {
  constexpr std::int64_t kAnchors = 9;
  constexpr int kHidden = 4;
  using Ints = std::vector<std::int64_t>;
  const auto scope = g.scope(name);
  std::vector<Value> weights;
  std::vector<Value> biases;
  for (int i = 0; i <= kHidden; ++i) {
    const std::int64_t channels = i < kHidden ? kPyramid : kAnchors * width;
    weights.push_back(g.parameter(fmt::format("{}.weight", i), {channels, kPyramid, 3, 3}));
    biases.push_back(g.parameter(fmt::format("{}.bias", i), {channels}));
  }
  std::vector<Value> rows;
  for (const Value& level : levels) {
    Value x = level;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      x = g.op("Conv", {x, weights[i], biases[i]},
               {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{1, 1}}, {"pads", Ints(4, 1)}});
      if (i + 1 < weights.size()) x = g.relu(x);
    }
    rows.push_back(rows_of_anchors(g, x, width));
  }
  return rows;
}

Value relu6_unit(GraphBuilder& g, const Value& x, std::int64_t channels,
                 const GraphBuilder::ConvOptions& options) {
  return g.relu6(g.batch_norm(g.conv(x, channels, options)));
}

// MobileNet v1: a depthwise convolution and a 1x1 convolution.
Value separable(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t stride) {
  const Value y = relu6_unit(
      g, x, x.channels,
      {.kernel = 3, .stride = stride, .padding = 1, .groups = x.channels, .bias = false});
  return relu6_unit(g, y, channels, {.bias = false});
}

// The six maps on which SSD detects: stages 11 and 13 of MobileNet v1 and four coarser ones.
std::vector<Value> ssd_levels(GraphBuilder& g, const Value& image) {
  struct Stage {
    int channels, stride;
  };
  constexpr Stage kStages[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                               {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                               {512, 1}, {1024, 2}, {1024, 1}};
  constexpr int kExtra[] = {512, 256, 256, 128};
  constexpr int kFirstLevel = 11;
  Value x = relu6_unit(g, image, 32, {.kernel = 3, .stride = 2, .padding = 1, .bias = false});
  std::vector<Value> levels;
  int index = 0;
  for (const auto& s : kStages) {
    const auto scope = g.scope(fmt::format("features.{}", ++index));
    x = separable(g, x, s.channels, s.stride);
    if (index == kFirstLevel) levels.push_back(x);
  }
  levels.push_back(x);
  for (const int channels : kExtra) {
    const auto scope = g.scope(fmt::format("extra.{}", levels.size()));
    x = relu6_unit(g, x, channels / 2, {.bias = false});
    x = relu6_unit(g, x, channels, {.kernel = 3, .stride = 2, .padding = 1, .bias = false});
    levels.push_back(x);
  }
  return levels;
}

}  // namespace

std::string retinanet_resnext50() {
  constexpr std::int64_t kOpenImagesClasses = 264;
  GraphBuilder g("retinanet_resnext50", 17);
  const Value image = square_images(g, 800);
  const std::vector<Value> levels = feature_pyramid(g, resnext50_stages(g, image));
  const auto classes = shared_head(g, levels, "classification", kOpenImagesClasses);
  finish_anchors(g, shared_head(g, levels, "regression", 4), classes);
  return g.serialize();
}

std::string ssd_mobilenet_v1() {
  constexpr std::int64_t kClasses = 91;  // COCO's class ids, including the background
  GraphBuilder g("ssd_mobilenet_v1", 17);
  g.default_dim("image", 300);
  const std::vector<Value> levels =
      ssd_levels(g, g.input("images", {"batch", 3, "image", "image"}));
  std::vector<Value> boxes;
  std::vector<Value> classes;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto scope = g.scope(fmt::format("predictor.{}", i));
    const std::int64_t anchors = i == 0 ? 3 : 6;
    boxes.push_back(rows_of_anchors(g, g.conv(levels[i], anchors * 4, {}), 4));
    classes.push_back(rows_of_anchors(g, g.conv(levels[i], anchors * kClasses, {}), kClasses));
  }
  finish_anchors(g, boxes, classes);
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
