// The one-stage detector YOLO11 (Jocher and Qiu, 2024) in its five sizes on the 80 classes of COCO,
// as its publisher exports it: every batch normalization is folded into its convolution.
#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

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

// C3k2: a cross-stage partial block. The results of all its bottlenecks reach the last convolution.
Value cross_stage_block(GraphBuilder& g, const Value& x, const StageShape& s) {
  const auto inner = static_cast<std::int64_t>(static_cast<double>(s.channels) * s.inner);
  auto parts = g.split(folded_silu(g, x, 2 * inner), {inner, inner}, 1);
  for (int i = 0; i < s.repeats; ++i) {
    const Value& in = parts.back();
    parts.push_back(s.nested ? nested_stage(g, in) : residual_pair(g, in, inner / 2));
  }
  return folded_silu(g, g.concat(parts, 1), s.channels);
}

// `nested`: each cross-stage block contains another one.
std::string yolo11(const std::string& name, const LayoutScale& scale, bool nested_stages) {
  GraphBuilder g(name, 17);
  const auto wide = [&](std::int64_t channels) { return scale.channels(channels); };
  const auto stage = [&](const Value& x, std::int64_t channels, bool nested, double inner = 0.5) {
    return cross_stage_block(g, x,
                             {wide(channels), scale.repeats(2), nested || nested_stages, inner});
  };
  Value x = folded_halve(g, square_images(g, 640), wide(64));
  x = stage(folded_halve(g, x, wide(128)), 256, false, 0.25);
  const Value p3 = stage(folded_halve(g, x, wide(256)), 512, false, 0.25);
  const Value p4 = stage(folded_halve(g, p3, wide(512)), 512, true);
  x = stage(folded_halve(g, p4, wide(1024)), 1024, true);
  const Value pooled = pooling_pyramid(g, folded_silu(g, x, x.channels / 2));
  const Value p5 = attention_stage(g, folded_silu(g, pooled, wide(1024)), scale.repeats(2));

  const Value up4 = stage(g.concat({g.upsample(p5, 2), p4}, 1), 512, false);
  const Value fine = stage(g.concat({g.upsample(up4, 2), p3}, 1), 256, false);
  const Value middle = stage(g.concat({folded_halve(g, fine, wide(256)), up4}, 1), 512, false);
  const Value coarse = stage(g.concat({folded_halve(g, middle, wide(512)), p5}, 1), 1024, true);
  return finish_detector(g, separable_levels(g, fine, middle, coarse));
}

}  // namespace

std::string yolo11n() {
  return yolo11("yolo11n", {0.50, 0.25, 1024}, false);
}

std::string yolo11s() {
  return yolo11("yolo11s", {0.50, 0.50, 1024}, false);
}

std::string yolo11m() {
  return yolo11("yolo11m", {0.50, 1.00, 512}, true);
}

std::string yolo11l() {
  return yolo11("yolo11l", {1.00, 1.00, 512}, true);
}

std::string yolo11x() {
  return yolo11("yolo11x", {1.00, 1.50, 512}, true);
}

}  // namespace ridgewatt::workload::zoo_builders
