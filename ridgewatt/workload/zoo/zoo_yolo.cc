// One-stage detectors on the 80 classes of COCO: YOLOv8n (640x640) and YOLOv4-tiny (416x416).
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

constexpr int kClasses = 80;

Value conv_silu(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel = 1,
                std::int64_t stride = 1) {
  const Value y = g.conv(
      x, channels, {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
  return g.silu(g.batch_norm(y, 1e-3));
}

// C2f: a cross-stage partial block whose `repeats` bottlenecks all reach the last convolution.
Value c2f(GraphBuilder& g, const Value& x, std::int64_t channels, int repeats, bool residual) {
  const std::int64_t half = channels / 2;
  auto parts = g.split(conv_silu(g, x, channels), {half, half}, 1);
  for (int i = 0; i < repeats; ++i) {
    const Value in = parts.back();
    const Value out = conv_silu(g, conv_silu(g, in, half, 3), half, 3);
    parts.push_back(residual ? g.add(in, out) : out);
  }
  return conv_silu(g, g.concat(parts, 1), channels);
}

// Spatial pyramid pooling, fast: three 5x5 poolings in a row see 5, 9 and 13 pixels.
Value sppf(GraphBuilder& g, const Value& x, std::int64_t channels) {
  std::vector<Value> parts = {conv_silu(g, x, x.channels / 2)};
  for (int i = 0; i < 3; ++i) parts.push_back(g.max_pool(parts.back(), 5, 1, 2));
  return conv_silu(g, g.concat(parts, 1), channels);
}

constexpr int kBins = 16;  // a side of a box is a distribution over this many distances

// The boxes [batch, 4, anchors] in pixels from the distributions [batch, 4 * kBins, anchors].
Value decode_boxes(GraphBuilder& g, const Value& distributions, const std::vector<int>& grids,
                   int image) {
  std::vector<float> centers_x;
  std::vector<float> centers_y;
  std::vector<float> strides;
  for (const int grid : grids) {
    const int stride = image / grid;
    for (int y = 0; y < grid; ++y) {
      for (int x = 0; x < grid; ++x) {
        centers_x.push_back(static_cast<float>(x) + 0.5F);
        centers_y.push_back(static_cast<float>(y) + 0.5F);
        strides.push_back(static_cast<float>(stride));
      }
    }
  }
  const auto anchors = static_cast<std::int64_t>(strides.size());
  std::vector<float> centers = centers_x;
  centers.insert(centers.end(), centers_y.begin(), centers_y.end());

  Value p = g.transpose(g.reshape(distributions, {0, 4, kBins, anchors}), {0, 2, 1, 3});
  p.channels = kBins;
  p = g.op("Softmax", {p}, {{"axis", std::int64_t{1}}});
  const Value distances = g.reshape(g.conv(p, 1, {.bias = false}), {0, 4, anchors});
  const auto sides = g.split(distances, {2, 2}, 1);
  const Value center = g.constant(centers, {1, 2, anchors});
  const Value low = g.sub(center, sides[0]);
  const Value high = g.add(center, sides[1]);
  const Value two = g.scalar(2);
  const Value middle = g.div(g.add(low, high), two);
  const Value scale = g.constant(strides, {1, anchors});
  return g.mul(g.concat({middle, g.sub(high, low)}, 1), scale);
}

Value detect(GraphBuilder& g, const std::vector<Value>& features, const std::vector<int>& grids,
             int image) {
  std::vector<Value> levels;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto scope = g.scope(fmt::format("detect.{}", i));
    const std::int64_t box = 4 * kBins;
    const Value boxes = g.conv(conv_silu(g, conv_silu(g, features[i], box, 3), box, 3), box, {});
    const Value classes =
        g.conv(conv_silu(g, conv_silu(g, features[i], kClasses, 3), kClasses, 3), kClasses, {});
    const Value both = g.concat({boxes, classes}, 1);
    levels.push_back(g.reshape(both, {0, both.channels, std::int64_t{grids[i]} * grids[i]}));
  }
  const auto scope = g.scope("detect");
  const auto parts = g.split(g.concat(levels, 2), {4 * kBins, kClasses}, 1);
  return g.concat({decode_boxes(g, parts[0], grids, image), g.op("Sigmoid", {parts[1]})}, 1);
}

}  // namespace

std::string yolov8n() {
  GraphBuilder g("yolov8n", 17);
  auto x = g.input("images", {"batch", 3, 640, 640});
  x = conv_silu(g, x, 16, 3, 2);
  x = c2f(g, conv_silu(g, x, 32, 3, 2), 32, 1, true);
  const auto p3 = c2f(g, conv_silu(g, x, 64, 3, 2), 64, 2, true);
  const auto p4 = c2f(g, conv_silu(g, p3, 128, 3, 2), 128, 2, true);
  x = c2f(g, conv_silu(g, p4, 256, 3, 2), 256, 1, true);
  const auto p5 = sppf(g, x, 256);
  const auto up4 = c2f(g, g.concat({g.upsample(p5, 2), p4}, 1), 128, 1, false);
  const auto out3 = c2f(g, g.concat({g.upsample(up4, 2), p3}, 1), 64, 1, false);
  const auto out4 = c2f(g, g.concat({conv_silu(g, out3, 64, 3, 2), up4}, 1), 128, 1, false);
  const auto out5 = c2f(g, g.concat({conv_silu(g, out4, 128, 3, 2), p5}, 1), 256, 1, false);
  g.output(detect(g, {out3, out4, out5}, {80, 40, 20}, 640), "output0", {"batch", 84, 8400});
  return g.serialize();
}

namespace {

Value conv_leaky(GraphBuilder& g, const Value& x, std::int64_t channels, std::int64_t kernel,
                 std::int64_t stride = 1) {
  const Value y = g.conv(
      x, channels, {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
  return g.op("LeakyRelu", {g.batch_norm(y)}, {{"alpha", 0.1}});
}

struct CrossStage {
  Value out;    // both stages, twice the channels of the input
  Value inner;  // what the detector's neck reads
};

// The cross-stage partial block of the tiny backbone: half of the channels go through two more
// convolutions and all of them meet again.
CrossStage cross_stage(GraphBuilder& g, const Value& x) {
  const std::int64_t half = x.channels / 2;
  const Value all = conv_leaky(g, x, x.channels, 3);
  const Value second = g.split(all, {half, half}, 1)[1];
  const Value a = conv_leaky(g, second, half, 3);
  const Value b = conv_leaky(g, a, half, 3);
  const Value inner = conv_leaky(g, g.concat({b, a}, 1), x.channels, 1);
  return {g.concat({all, inner}, 1), inner};
}

}  // namespace

std::string yolov4_tiny() {
  constexpr int kPerCell = 3 * (5 + kClasses);
  GraphBuilder g("yolov4_tiny", 17);
  auto x = g.input("images", {"batch", 3, 416, 416});
  x = conv_leaky(g, conv_leaky(g, x, 32, 3, 2), 64, 3, 2);
  x = g.max_pool(cross_stage(g, x).out, 2, 2);
  x = g.max_pool(cross_stage(g, x).out, 2, 2);
  const auto deep = cross_stage(g, x);
  x = conv_leaky(g, g.max_pool(deep.out, 2, 2), 512, 3);
  const auto neck = conv_leaky(g, x, 256, 1);
  const auto coarse = g.conv(conv_leaky(g, neck, 512, 3), kPerCell, {});
  const auto up = g.upsample(conv_leaky(g, neck, 128, 1), 2);
  const auto fine = g.conv(conv_leaky(g, g.concat({up, deep.inner}, 1), 256, 3), kPerCell, {});
  g.output(coarse, "coarse", {"batch", kPerCell, 13, 13});
  g.output(fine, "fine", {"batch", kPerCell, 26, 26});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
