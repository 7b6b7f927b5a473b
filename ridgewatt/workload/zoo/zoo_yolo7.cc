// The one-stage detector YOLOv7 (Wang et al., 2023) in three sizes on the 80 classes of COCO, as
// its authors deploy it: the branches and normalizations of a convolution are merged.
#include <utility>

#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

// Layers of an aggregation block: `inner` channels, and `depth` 3x3 convolutions of `deep`
// channels. The result of every `step`-th convolution reaches the last convolution.
struct Aggregation {
  std::int64_t inner;
  std::int64_t deep;
  int depth;
  int step;
};

class Yolov7 {
 public:
  Yolov7(const std::string& name, bool leaky) : g_(name, 17), leaky_(leaky) {}

  std::string tiny() {
    constexpr Anchors kAnchors = {
        {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};
    const auto stage = [&](const Value& x, std::int64_t inner) {
      return aggregate(x, {inner, inner, 2, 1}, 2 * inner);
    };
    Value x = conv(conv(square_images(g_, 640), 32, 3, 2), 64, 3, 2);
    x = stage(x, 32);
    const Value p3 = stage(halve(x), 64);
    const Value p4 = stage(halve(p3), 128);
    x = stage(halve(p4), 256);
    const Value side = conv(x, 256);
    x = conv(pools(conv(x, 256)), 256);
    const Value p5 = conv(g_.concat({x, side}, 1), 256);
    const Value up4 = stage(merge_up(p5, p4, 128), 64);
    const Value fine = stage(merge_up(up4, p3, 64), 32);
    const Value middle = stage(g_.concat({conv(fine, 128, 3, 2), up4}, 1), 64);
    const Value coarse = stage(g_.concat({conv(middle, 256, 3, 2), p5}, 1), 128);
    return finish_with_anchors(g_, {conv(fine, 128, 3), conv(middle, 256, 3), conv(coarse, 512, 3)},
                               kAnchors);
  }

  // `width`: channels of the first convolution. `large`: six convolutions per block, every second
  // one aggregated, in the neck and in the backbone.
  std::string full(std::int64_t width, bool large) {
    constexpr Anchors kAnchors = {
        {{12, 16, 19, 36, 40, 28}, {36, 75, 76, 55, 72, 146}, {142, 110, 192, 243, 459, 401}}};
    const auto stage = [&](const Value& x, std::int64_t inner, std::int64_t channels) {
      return aggregate(x, {inner, inner, large ? 6 : 4, 2}, channels);
    };
    const auto neck = [&](const Value& x, std::int64_t inner, std::int64_t channels) {
      const Aggregation small = {inner, inner / 2, 4, 1};
      return large ? stage(x, inner, channels) : aggregate(x, small, channels);
    };
    Value x = conv(conv(conv(square_images(g_, 640), width, 3), 2 * width, 3, 2), 2 * width, 3);
    x = stage(conv(x, 4 * width, 3, 2), 64, 8 * width);
    const Value p3 = stage(halve_twice(x, 4 * width), 128, 16 * width);
    const Value p4 = stage(halve_twice(p3, 8 * width), 256, 32 * width);
    x = stage(halve_twice(p4, 16 * width), 256, 32 * width);
    const Value p5 = pool_across(x, 16 * width);
    const Value up4 = neck(merge_up(p5, p4, 8 * width), 256, 8 * width);
    const Value fine = neck(merge_up(up4, p3, 4 * width), 128, 4 * width);
    const Value middle = neck(g_.concat({halve_twice(fine, 4 * width), up4}, 1), 256, 8 * width);
    const Value coarse = neck(g_.concat({halve_twice(middle, 8 * width), p5}, 1), 512, 16 * width);
    return finish_with_anchors(
        g_, {conv(fine, 8 * width, 3), conv(middle, 16 * width, 3), conv(coarse, 32 * width, 3)},
        kAnchors);
  }

 private:
  Value conv(const Value& x, std::int64_t channels, std::int64_t kernel = 1,
             std::int64_t stride = 1) {
    const Value y =
        g_.conv(x, channels, {.kernel = kernel, .stride = stride, .padding = kernel / 2});
    return leaky_ ? g_.op("LeakyRelu", {y}, {{"alpha", 0.1}}) : g_.silu(y);
  }

  Value halve(const Value& x) { return g_.max_pool(x, 2, 2); }

  // Halves the image by a pooling and by a convolution, each with `channels` outputs.
  Value halve_twice(const Value& x, std::int64_t channels) {
    const Value pooled = conv(halve(x), channels);
    return g_.concat({conv(conv(x, channels), channels, 3, 2), pooled}, 1);
  }

  // Efficient layer aggregation block.
  Value aggregate(const Value& x, const Aggregation& a, std::int64_t channels) {
    const Value side = conv(x, a.inner);
    Value deep = conv(x, a.inner);
    std::vector<Value> parts = {side, deep};
    for (int i = 1; i <= a.depth; ++i) {
      deep = conv(deep, a.deep, 3);
      if (i % a.step == 0) parts.push_back(deep);
    }
    return conv(g_.concat({parts.rbegin(), parts.rend()}, 1), channels);
  }

  Value merge_up(const Value& coarse, const Value& fine, std::int64_t channels) {
    const Value up = g_.upsample(conv(coarse, channels), 2);
    return g_.concat({conv(fine, channels), up}, 1);
  }

  Value pools(const Value& x) {
    std::vector<Value> parts = {x};
    for (const int window : {5, 9, 13}) parts.push_back(g_.max_pool(x, window, 1, window / 2));
    return g_.concat(parts, 1);
  }

  // A cross-stage partial block with three poolings.
  Value pool_across(const Value& x, std::int64_t channels) {
    const Value deep = pools(conv(conv(conv(x, channels), channels, 3), channels));
    const Value pooled = conv(conv(deep, channels), channels, 3);
    return conv(g_.concat({pooled, conv(x, channels)}, 1), channels);
  }

  GraphBuilder g_;
  bool leaky_;
};

}  // namespace

std::string yolov7_tiny() {
  return Yolov7("yolov7_tiny", true).tiny();
}
std::string yolov7() {
  return Yolov7("yolov7", false).full(32, false);
}
std::string yolov7x() {
  return Yolov7("yolov7x", false).full(40, true);
}

}  // namespace ridgewatt::workload::zoo_builders
