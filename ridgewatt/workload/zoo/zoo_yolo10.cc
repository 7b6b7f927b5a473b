// The one-stage detector YOLOv10 (Wang et al., 2024) in its six sizes on the 80 classes of COCO, as
// its authors export it: without the head that only training uses, and with each batch
// normalization folded into its convolution. Each object has one box, so the network itself chooses
// the best 300.
#include <cstdint>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// Content of the cross-stage blocks: pairs of full convolutions, or of depthwise-separable ones
// with a middle window of 3x3 or 7x7.
enum class Inside : std::uint8_t { kFull, kSeparable, kWide };

struct Yolov10Scale {
  LayoutScale layout;
  Inside p4;      // stage of stride 16 in the backbone
  Inside p5;      // stage of stride 32 in the backbone
  Inside up4;     // neck, on the way to the finest level
  Inside middle;  // neck, on the way back
  Inside coarse;
};

class Yolov10 {
 public:
  Yolov10(const std::string& name, const Yolov10Scale& scale) : g_(name, 17), scale_(scale) {}

  std::string build() {
    Value x = folded_halve(g_, square_images(g_, 640), wide(64));
    x = stage(folded_halve(g_, x, wide(128)), 128, 3, Inside::kFull, true);
    const Value p3 = stage(folded_halve(g_, x, wide(256)), 256, 6, Inside::kFull, true);
    const Value p4 = stage(halve(p3, 512), 512, 6, scale_.p4, true);
    x = stage(halve(p4, 1024), 1024, 3, scale_.p5, true);
    x = folded_silu(g_, pooling_pyramid(g_, folded_silu(g_, x, wide(1024) / 2)), wide(1024));
    const Value p5 = attention_stage(g_, x, 1);
    const bool separable_up = scale_.up4 != Inside::kFull;
    const Value up4 =
        stage(g_.concat({g_.upsample(p5, 2), p4}, 1), 512, 3, scale_.up4, separable_up);
    const Value fine = stage(g_.concat({g_.upsample(up4, 2), p3}, 1), 256, 3, Inside::kFull, false);
    const Value middle = stage(g_.concat({folded_halve(g_, fine, wide(256)), up4}, 1), 512, 3,
                               scale_.middle, scale_.middle != Inside::kFull);
    const Value coarse =
        stage(g_.concat({halve(middle, 512), p5}, 1), 1024, 3, scale_.coarse, true);
    const auto levels = separable_levels(g_, fine, middle, coarse);
    return finish(decode_boxes_and_classes(g_, levels));
  }

 private:
  std::int64_t wide(std::int64_t channels) const { return scale_.layout.channels(channels); }

  // Changes the channels first, then halves the side.
  Value halve(const Value& x, std::int64_t channels) {
    const Value y = folded_silu(g_, x, wide(channels));
    return g_.conv(y, y.channels, {.kernel = 3, .stride = 2, .padding = 1, .groups = y.channels});
  }

  Value bottleneck(const Value& x, Inside inside) {
    const std::int64_t c = x.channels;
    if (inside == Inside::kFull) return folded_silu(g_, folded_silu(g_, x, c, 3), c, 3);
    const std::int64_t window = inside == Inside::kWide ? 7 : 3;
    Value y = folded_silu(g_, folded_silu(g_, x, c, 3, c), 2 * c);
    y = folded_silu(g_, folded_silu(g_, y, 2 * c, window, 2 * c), c);
    return folded_silu(g_, y, c, 3, c);
  }

  Value stage(const Value& x, std::int64_t channels, int repeats, Inside inside, bool residual) {
    const std::int64_t half = wide(channels) / 2;
    auto parts = g_.split(folded_silu(g_, x, 2 * half), {half, half}, 1);
    for (int i = 0; i < scale_.layout.repeats(repeats); ++i) {
      const Value in = parts.back();
      const Value out = bottleneck(in, inside);
      parts.push_back(residual ? g_.add(in, out) : out);
    }
    return folded_silu(g_, g_.concat(parts, 1), wide(channels));
  }

  // Returns the rows with the indices `numbers` [batch, chosen] from `x` [batch, rows, width].
  Value take(const Value& x, const Value& numbers, std::int64_t width) {
    const Value wide_numbers = g_.op(
        "Tile", {g_.op("Unsqueeze", {numbers, g_.constant({-1})}), g_.constant({1, 1, width})});
    return g_.op("GatherElements", {x, wide_numbers}, {{"axis", std::int64_t{1}}});
  }

  // Returns the best 300 pairs of cell and class in the 300 cells with the best scores.
  std::string finish(const Value& predictions) {
    constexpr std::int64_t kMostObjects = 300;
    const Value rows = g_.transpose(predictions, {0, 2, 1});
    const auto parts = g_.split(rows, {4, kCocoClasses}, 2);
    const Value best =
        g_.op("ReduceMax", {parts[1]},
              {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{0}}});
    const Value cells =
        g_.op("Shape", {best}, {{"start", std::int64_t{1}}, {"end", std::int64_t{2}}});
    const Value count = g_.op("Min", {cells, g_.constant({kMostObjects})});
    const Value chosen = g_.node("TopK", {best, count}, {}, 2)[1];
    const Value boxes = take(parts[0], chosen, 4);
    const Value scores = g_.reshape(take(parts[1], chosen, kCocoClasses), {0, -1});
    const auto pairs = g_.node("TopK", {scores, count}, {}, 2);
    const Value classes = g_.constant({std::int64_t{kCocoClasses}});
    const Value objects = take(boxes, g_.div(pairs[1], classes), 4);
    const Value last = g_.constant({-1});
    const Value score = g_.op("Unsqueeze", {pairs[0], last});
    const Value of_class =
        g_.op("Cast", {g_.op("Mod", {pairs[1], classes})}, {{"to", std::int64_t{1}}});
    g_.output(g_.concat({objects, score, g_.op("Unsqueeze", {of_class, last})}, 2), "output0",
              {"batch", "objects", 6});
    return g_.serialize();
  }

  GraphBuilder g_;
  Yolov10Scale scale_;
};

constexpr auto kFull = Inside::kFull, kSeparable = Inside::kSeparable, kWide = Inside::kWide;

}  // namespace

std::string yolov10n() {
  return Yolov10("yolov10n", {{1.0 / 3, 0.25, 1024}, kFull, kFull, kFull, kFull, kWide}).build();
}
std::string yolov10s() {
  return Yolov10("yolov10s", {{1.0 / 3, 0.50, 1024}, kFull, kWide, kFull, kFull, kWide}).build();
}
std::string yolov10m() {
  return Yolov10("yolov10m",
                 {{2.0 / 3, 0.75, 768}, kFull, kSeparable, kFull, kSeparable, kSeparable})
      .build();
}
std::string yolov10b() {
  return Yolov10("yolov10b",
                 {{2.0 / 3, 1.00, 512}, kFull, kSeparable, kSeparable, kSeparable, kSeparable})
      .build();
}
std::string yolov10l() {
  return Yolov10("yolov10l",
                 {{1.00, 1.00, 512}, kFull, kSeparable, kSeparable, kSeparable, kSeparable})
      .build();
}
std::string yolov10x() {
  return Yolov10("yolov10x",
                 {{1.00, 1.25, 512}, kSeparable, kSeparable, kSeparable, kSeparable, kSeparable})
      .build();
}

}  // namespace ridgewatt::workload::zoo_builders
