// The one-stage detector YOLOv9 (Wang et al., 2024) in four sizes on the 80 classes of COCO, as its
// authors deploy it: without the auxiliary branch, and with the branches and normalizations of each
// convolution merged.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

struct StageWidths {
  std::int64_t out;
  std::int64_t split;
  std::int64_t inner;
};

struct Yolov9Scale {
  std::int64_t first;                  // channels of the first convolution
  std::array<StageWidths, 4> stages;   // of the backbone, from stride 4 to 32
  std::array<std::int64_t, 3> halved;  // channels after the halving that leads to a stage
  std::array<StageWidths, 3> neck;     // of strides 8, 16 and 32
  std::array<std::int64_t, 2> merged;  // channels that the neck halves
  std::int64_t class_width;            // minimum width of the class branch
  int repeats;                         // bottlenecks in each branch of a stage
  bool plain_first_stage;              // the first stage has two convolutions instead of branches
  bool two_ways;                       // halving by a convolution and a pooling, half of each
};

class Yolov9 {
 public:
  Yolov9(const std::string& name, const Yolov9Scale& scale) : g_(name, 17), scale_(scale) {}

  std::string build() {
    const auto& stages = scale_.stages;
    Value x = folded_halve(g_, square_images(g_, 640), scale_.first);
    x = folded_halve(g_, x, 2 * scale_.first);
    x = scale_.plain_first_stage ? plain_stage(x, stages[0]) : stage(x, stages[0]);
    const Value p3 = stage(halve(x, scale_.halved[0]), stages[1]);
    const Value p4 = stage(halve(p3, scale_.halved[1]), stages[2]);
    x = stage(halve(p4, scale_.halved[2]), stages[3]);
    const std::int64_t pooled = scale_.neck[2].out;
    const Value p5 = folded_silu(g_, pooling_pyramid(g_, folded_silu(g_, x, pooled / 2)), pooled);
    const Value up4 = stage(g_.concat({g_.upsample(p5, 2), p4}, 1), scale_.neck[1]);
    const Value fine = stage(g_.concat({g_.upsample(up4, 2), p3}, 1), scale_.neck[0]);
    const Value middle = stage(g_.concat({halve(fine, scale_.merged[0]), up4}, 1), scale_.neck[1]);
    const Value coarse = stage(g_.concat({halve(middle, scale_.merged[1]), p5}, 1), scale_.neck[2]);
    const HeadWidths widths = {std::max(fine.channels / 4, std::int64_t{kBoxChannels}),
                               std::max(fine.channels, scale_.class_width)};
    std::vector<DetectionLevel> levels;
    for (const Value& level : {fine, middle, coarse}) {
      const auto scope = g_.scope(fmt::format("detect.{}", levels.size()));
      levels.push_back({detect(level, widths), 8 << levels.size()});
    }
    return finish_detector(g_, levels);
  }

 private:
  // A cross-stage partial block.
  Value branch(const Value& x, std::int64_t channels) {
    const std::int64_t half = channels / 2;
    Value deep = folded_silu(g_, x, half);
    for (int i = 0; i < scale_.repeats; ++i) {
      deep = g_.add(deep, folded_silu(g_, folded_silu(g_, deep, half, 3), half, 3));
    }
    const Value side = folded_silu(g_, x, half);
    return folded_silu(g_, g_.concat({deep, side}, 1), channels);
  }

  Value stage(const Value& x, const StageWidths& s) {
    auto parts = g_.split(folded_silu(g_, x, s.split), {s.split / 2, s.split / 2}, 1);
    for (int i = 0; i < 2; ++i) {
      parts.push_back(folded_silu(g_, branch(parts.back(), s.inner), s.inner, 3));
    }
    return folded_silu(g_, g_.concat(parts, 1), s.out);
  }

  Value plain_stage(const Value& x, const StageWidths& s) {
    auto parts = g_.split(folded_silu(g_, x, s.split), {s.split / 2, s.split / 2}, 1);
    for (int i = 0; i < 2; ++i) parts.push_back(folded_silu(g_, parts.back(), s.inner, 3));
    return folded_silu(g_, g_.concat(parts, 1), s.out);
  }

  Value halve(const Value& x, std::int64_t channels) {
    const Value smooth = g_.average_pool(x, 2, 1);
    if (!scale_.two_ways) return folded_halve(g_, smooth, channels);
    const auto halves = g_.split(smooth, {x.channels / 2, x.channels / 2}, 1);
    const Value convolved = folded_halve(g_, halves[0], channels / 2);
    const Value pooled = folded_silu(g_, g_.max_pool(halves[1], 3, 2, 1), channels / 2);
    return g_.concat({convolved, pooled}, 1);
  }

  // Each of the four sides of a box has its own convolutions.
  Value detect(const Value& level, const HeadWidths& widths) {
    constexpr std::int64_t kSides = 4;
    Value boxes = folded_silu(g_, folded_silu(g_, level, widths.boxes, 3), widths.boxes, 3, kSides);
    boxes = g_.conv(boxes, kBoxChannels, {.groups = kSides});
    const Value classes =
        folded_silu(g_, folded_silu(g_, level, widths.classes, 3), widths.classes, 3);
    return g_.concat({boxes, g_.conv(classes, kCocoClasses, {})}, 1);
  }

  GraphBuilder g_;
  Yolov9Scale scale_;
};

// Sizes t and s have three bottlenecks and widths in proportion.
Yolov9Scale small(std::int64_t w) {
  return {.first = w,
          .stages = {{{2 * w, 2 * w, w},
                      {4 * w, 4 * w, 2 * w},
                      {6 * w, 6 * w, 3 * w},
                      {8 * w, 8 * w, 4 * w}}},
          .halved = {4 * w, 6 * w, 8 * w},
          .neck = {{{4 * w, 4 * w, 2 * w}, {6 * w, 6 * w, 3 * w}, {8 * w, 8 * w, 4 * w}}},
          .merged = {3 * w, 4 * w},
          .class_width = kCocoClasses,
          .repeats = 3,
          .plain_first_stage = true,
          .two_ways = false};
}

}  // namespace

std::string yolov9t() {
  return Yolov9("yolov9t", small(16)).build();
}
std::string yolov9s() {
  return Yolov9("yolov9s", small(32)).build();
}
std::string yolov9m() {
  const Yolov9Scale scale = {
      .first = 32,
      .stages = {{{128, 128, 64}, {240, 240, 120}, {360, 360, 180}, {480, 480, 240}}},
      .halved = {240, 360, 480},
      .neck = {{{240, 240, 120}, {360, 360, 180}, {480, 480, 240}}},
      .merged = {180, 240},
      .class_width = kCocoClasses,
      .repeats = 1,
      .plain_first_stage = false,
      .two_ways = false};
  return Yolov9("yolov9m", scale).build();
}
std::string yolov9c() {
  const Yolov9Scale scale = {
      .first = 64,
      .stages = {{{256, 128, 64}, {512, 256, 128}, {512, 512, 256}, {512, 512, 256}}},
      .halved = {256, 512, 512},
      .neck = {{{256, 256, 128}, {512, 512, 256}, {512, 512, 256}}},
      .merged = {256, 512},
      .class_width = kCocoClasses,
      .repeats = 1,
      .plain_first_stage = false,
      .two_ways = true};
  return Yolov9("yolov9c", scale).build();
}

}  // namespace ridgewatt::workload::zoo_builders
