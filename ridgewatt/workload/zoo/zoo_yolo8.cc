// The one-stage detector YOLOv8 (Jocher et al., 2023) in its five sizes on the 80 classes of COCO.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

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

Value sppf(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return conv_silu(g, pooling_pyramid(g, conv_silu(g, x, x.channels / 2)), channels);
}

// The output map of a level: one branch of convolutions for the boxes and one for the classes.
Value detect(GraphBuilder& g, const Value& feature, const HeadWidths& widths, int level) {
  const auto scope = g.scope(fmt::format("detect.{}", level));
  const auto branch = [&](std::int64_t width, std::int64_t channels) {
    return g.conv(conv_silu(g, conv_silu(g, feature, width, 3), width, 3), channels, {});
  };
  const Value boxes = branch(widths.boxes, kBoxChannels);
  return g.concat({boxes, branch(widths.classes, kCocoClasses)}, 1);
}

// How a size differs from the layout of the large one.
struct Yolov8Scale {
  double depth;           // factor on the repeats
  double width;           // factor on the channels
  std::int64_t coarsest;  // channels of the coarsest level, before scaling
};

std::string yolov8(const std::string& name, const Yolov8Scale& scale) {
  GraphBuilder g(name, 17);
  const auto wide = [&](std::int64_t channels) {
    return std::lround(static_cast<double>(channels) * scale.width);
  };
  const auto repeats = [&](int of_layout) {
    return std::max(static_cast<int>(std::lround(of_layout * scale.depth)), 1);
  };
  const auto halve = [&](const Value& x, std::int64_t channels) {
    return conv_silu(g, x, wide(channels), 3, 2);
  };
  const auto stage = [&](const Value& x, std::int64_t channels, int of_layout, bool residual) {
    return c2f(g, x, wide(channels), repeats(of_layout), residual);
  };
  Value x = halve(square_images(g, 640), 64);
  x = stage(halve(x, 128), 128, 3, true);
  const Value p3 = stage(halve(x, 256), 256, 6, true);
  const Value p4 = stage(halve(p3, 512), 512, 6, true);
  x = stage(halve(p4, scale.coarsest), scale.coarsest, 3, true);
  const Value p5 = sppf(g, x, x.channels);
  const Value up4 = stage(g.concat({g.upsample(p5, 2), p4}, 1), 512, 3, false);
  const Value out3 = stage(g.concat({g.upsample(up4, 2), p3}, 1), 256, 3, false);
  const Value out4 = stage(g.concat({halve(out3, 256), up4}, 1), 512, 3, false);
  const Value out5 = stage(g.concat({halve(out4, 512), p5}, 1), scale.coarsest, 3, false);
  const HeadWidths widths = {std::max(out3.channels / 4, std::int64_t{kBoxChannels}),
                             std::max(out3.channels, std::int64_t{kCocoClasses})};
  std::vector<DetectionLevel> levels;
  levels.push_back({detect(g, out3, widths, 0), 8});
  levels.push_back({detect(g, out4, widths, 1), 16});
  levels.push_back({detect(g, out5, widths, 2), 32});
  return finish_detector(g, levels);
}

}  // namespace

std::string yolov8n() {
  return yolov8("yolov8n", {1.0 / 3, 0.25, 1024});
}
std::string yolov8s() {
  return yolov8("yolov8s", {1.0 / 3, 0.5, 1024});
}
std::string yolov8m() {
  return yolov8("yolov8m", {2.0 / 3, 0.75, 768});
}
std::string yolov8l() {
  return yolov8("yolov8l", {1, 1, 512});
}
std::string yolov8x() {
  return yolov8("yolov8x", {1, 1.25, 512});
}

}  // namespace ridgewatt::workload::zoo_builders
