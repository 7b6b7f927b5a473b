// The one-stage detector YOLOv8n (Jocher et al., 2023) on the 80 classes of COCO.
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

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

Value sppf(GraphBuilder& g, const Value& x, std::int64_t channels) {
  return conv_silu(g, pooling_pyramid(g, conv_silu(g, x, x.channels / 2)), channels);
}

// The map of a level: a branch of convolutions for the boxes and one for the classes.
Value detect(GraphBuilder& g, const Value& feature, int level) {
  const auto scope = g.scope(fmt::format("detect.{}", level));
  const auto branch = [&](std::int64_t width, std::int64_t channels) {
    return g.conv(conv_silu(g, conv_silu(g, feature, width, 3), width, 3), channels, {});
  };
  const Value boxes = branch(kBoxChannels, kBoxChannels);
  return g.concat({boxes, branch(kCocoClasses, kCocoClasses)}, 1);
}

}  // namespace

std::string yolov8n() {
  GraphBuilder g("yolov8n", 17);
  auto x = square_images(g, 640);
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
  const Value fine = detect(g, out3, 0);
  const Value middle = detect(g, out4, 1);
  const Value coarse = detect(g, out5, 2);
  return finish_detector(g, {{fine, 8}, {middle, 16}, {coarse, 32}});
}

}  // namespace ridgewatt::workload::zoo_builders
