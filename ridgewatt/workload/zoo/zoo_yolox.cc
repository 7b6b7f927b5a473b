// The one-stage detector YOLOX (Ge et al., 2021) in its six sizes on the 80 classes of COCO, as its
// authors export it: the outputs are the scores of all cells, and the caller decodes their boxes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// How a size differs from the layout of the large one.
struct YoloxScale {
  double depth;    // factor on the repeats
  double width;    // factor on the channels
  bool separable;  // 3x3 convolutions are split into a depthwise and a 1x1 convolution
  int side;        // of its images, in pixels
};

class Yolox {
 public:
  Yolox(const std::string& name, const YoloxScale& scale) : g_(name, 17), scale_(scale) {}

  std::string build() {
    Value x = conv3(cells_of_pixels(square_images(g_, scale_.side)), wide(64));
    x = stage(halve(x, 128), 128, 1, true);
    const Value c3 = stage(halve(x, 256), 256, 3, true);
    const Value c4 = stage(halve(c3, 512), 512, 3, true);
    const Value c5 = stage(pool(halve(c4, 1024)), 1024, 1, false);
    const Value p5 = conv_silu(g_, c5, wide(512));
    const Value p4 = conv_silu(g_, merge(g_.upsample(p5, 2), c4, 512), wide(256));
    const Value fine = merge(g_.upsample(p4, 2), c3, 256);
    const Value middle = merge(halve(fine, 256), p4, 512);
    const Value coarse = merge(halve(middle, 512), p5, 1024);
    std::vector<Value> flat;
    for (const Value& level : {fine, middle, coarse}) {
      const auto scope = g_.scope(fmt::format("detect.{}", flat.size()));
      flat.push_back(g_.reshape(detect(level), {0, kOutputs, -1}));
    }
    g_.output(g_.transpose(g_.concat(flat, 2), {0, 2, 1}), "output",
              {"batch", "anchors", kOutputs});
    return g_.serialize();
  }

 private:
  static constexpr std::int64_t kOutputs = 4 + 1 + kCocoClasses;

  std::int64_t wide(std::int64_t channels) const {
    return std::lround(static_cast<double>(channels) * scale_.width);
  }

  // Combines each 2x2 pixels into one pixel with four times the channels.
  Value cells_of_pixels(const Value& images) {
    constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
    const auto every_other = [&](const Value& x, std::int64_t first, std::int64_t axis) {
      return g_.op("Slice", {x, g_.constant({first}), g_.constant({kEnd}), g_.constant({axis}),
                             g_.constant({2})});
    };
    std::vector<Value> parts;
    for (const std::int64_t column : {0, 1}) {
      for (const std::int64_t row : {0, 1}) {
        parts.push_back(every_other(every_other(images, row, 2), column, 3));
      }
    }
    return g_.concat(parts, 1);
  }

  Value conv3(const Value& x, std::int64_t channels) { return conv_silu(g_, x, channels, 3); }

  // A 3x3 convolution of the blocks and heads.
  Value block_conv(const Value& x, std::int64_t channels, std::int64_t stride = 1) {
    if (!scale_.separable) return conv_silu(g_, x, channels, 3, stride);
    return conv_silu(g_, conv_silu(g_, x, x.channels, 3, stride, x.channels), channels);
  }

  Value halve(const Value& x, std::int64_t channels) { return block_conv(x, wide(channels), 2); }

  // A cross-stage partial block.
  Value stage(const Value& x, std::int64_t channels, int thirds, bool residual) {
    const std::int64_t half = wide(channels) / 2;
    const int repeats = std::max(static_cast<int>(std::lround(3 * scale_.depth)), 1) * thirds;
    Value deep = conv_silu(g_, x, half);
    const Value side = conv_silu(g_, x, half);
    for (int i = 0; i < repeats; ++i) {
      const Value out = block_conv(conv_silu(g_, deep, half), half);
      deep = residual ? g_.add(out, deep) : out;
    }
    return conv_silu(g_, g_.concat({deep, side}, 1), wide(channels));
  }

  Value merge(const Value& a, const Value& b, std::int64_t channels) {
    return stage(g_.concat({a, b}, 1), channels, 1, false);
  }

  // Spatial pyramid pooling: three poolings of one map.
  Value pool(const Value& x) {
    const Value inner = conv_silu(g_, x, x.channels / 2);
    std::vector<Value> parts = {inner};
    for (const int window : {5, 9, 13}) {
      parts.push_back(g_.max_pool(inner, window, 1, window / 2));
    }
    return conv_silu(g_, g_.concat(parts, 1), x.channels);
  }

  // Box, objectness and classes of a level, [batch, kOutputs, height, width].
  Value detect(const Value& level) {
    const std::int64_t width = wide(256);
    const Value stem = conv_silu(g_, level, width);
    const Value classes = block_conv(block_conv(stem, width), width);
    const Value boxes = block_conv(block_conv(stem, width), width);
    const Value scores = g_.op("Sigmoid", {g_.conv(classes, kCocoClasses, {})});
    const Value object = g_.op("Sigmoid", {g_.conv(boxes, 1, {})});
    return g_.concat({g_.conv(boxes, 4, {}), object, scores}, 1);
  }

  GraphBuilder g_;
  YoloxScale scale_;
};

}  // namespace

std::string yolox_nano() {
  return Yolox("yolox_nano", {1.0 / 3, 0.25, true, 416}).build();
}
std::string yolox_tiny() {
  return Yolox("yolox_tiny", {1.0 / 3, 0.375, false, 416}).build();
}
std::string yolox_s() {
  return Yolox("yolox_s", {1.0 / 3, 0.5, false, 640}).build();
}
std::string yolox_m() {
  return Yolox("yolox_m", {2.0 / 3, 0.75, false, 640}).build();
}
std::string yolox_l() {
  return Yolox("yolox_l", {1, 1, false, 640}).build();
}
std::string yolox_x() {
  return Yolox("yolox_x", {4.0 / 3, 1.25, false, 640}).build();
}

}  // namespace ridgewatt::workload::zoo_builders
