// The one-stage detector YOLOv5 in release 6 (Jocher et al., 2020) in its five sizes on the 80
// classes of COCO, as its publisher exports it: normalizations are folded into convolutions.
#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// C3: a cross-stage partial block. One of its branches goes through `repeats` bottlenecks.
Value c3(GraphBuilder& g, const Value& x, std::int64_t channels, int repeats, bool residual) {
  Value deep = folded_silu(g, x, channels / 2);
  for (int i = 0; i < repeats; ++i) {
    const Value out = folded_silu(g, folded_silu(g, deep, channels / 2), channels / 2, 3);
    deep = residual ? g.add(deep, out) : out;
  }
  return folded_silu(g, g.concat({deep, folded_silu(g, x, channels / 2)}, 1), channels);
}

std::string yolov5(const std::string& name, double depth, double width) {
  constexpr std::int64_t kMostChannels = 1024;
  constexpr Anchors kAnchors = {
      {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};
  const LayoutScale scale = {depth, width, kMostChannels};
  GraphBuilder g(name, 17);
  const auto wide = [&](std::int64_t channels) { return scale.channels(channels); };
  const auto halve = [&](const Value& x, std::int64_t channels) {
    return folded_halve(g, x, wide(channels));
  };
  const auto stage = [&](const Value& x, std::int64_t channels, int repeats, bool residual) {
    return c3(g, x, wide(channels), scale.repeats(repeats), residual);
  };
  Value x =
      g.silu(g.conv(square_images(g, 640), wide(64), {.kernel = 6, .stride = 2, .padding = 2}));
  x = stage(halve(x, 128), 128, 3, true);
  const Value p3 = stage(halve(x, 256), 256, 6, true);
  const Value p4 = stage(halve(p3, 512), 512, 9, true);
  x = stage(halve(p4, 1024), 1024, 3, true);
  x = folded_silu(g, pooling_pyramid(g, folded_silu(g, x, wide(1024) / 2)), wide(1024));
  const Value p5 = folded_silu(g, x, wide(512));
  const Value merged = stage(g.concat({g.upsample(p5, 2), p4}, 1), 512, 3, false);
  const Value up4 = folded_silu(g, merged, wide(256));
  const Value fine = stage(g.concat({g.upsample(up4, 2), p3}, 1), 256, 3, false);
  const Value middle = stage(g.concat({halve(fine, 256), up4}, 1), 512, 3, false);
  const Value coarse = stage(g.concat({halve(middle, 512), p5}, 1), 1024, 3, false);
  return finish_with_anchors(g, {fine, middle, coarse}, kAnchors);
}

}  // namespace

std::string yolov5n() {
  return yolov5("yolov5n", 1.0 / 3, 0.25);
}
std::string yolov5s() {
  return yolov5("yolov5s", 1.0 / 3, 0.50);
}
std::string yolov5m() {
  return yolov5("yolov5m", 2.0 / 3, 0.75);
}
std::string yolov5l() {
  return yolov5("yolov5l", 1, 1);
}
std::string yolov5x() {
  return yolov5("yolov5x", 4.0 / 3, 1.25);
}

}  // namespace ridgewatt::workload::zoo_builders
