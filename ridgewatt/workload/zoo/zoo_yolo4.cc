// The one-stage detector YOLOv4-tiny (Wang et al., 2021) on the 80 classes of COCO.
#include "ridgewatt/workload/zoo/yolo_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

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

// The cross-stage partial block of the tiny backbone. Half of the channels go through two more
// convolutions, and then all channels are concatenated.
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
  constexpr int kPerCell = 3 * (5 + kCocoClasses);
  GraphBuilder g("yolov4_tiny", 17);
  auto x = square_images(g, 416);
  x = conv_leaky(g, conv_leaky(g, x, 32, 3, 2), 64, 3, 2);
  x = g.max_pool(cross_stage(g, x).out, 2, 2);
  x = g.max_pool(cross_stage(g, x).out, 2, 2);
  const auto deep = cross_stage(g, x);
  x = conv_leaky(g, g.max_pool(deep.out, 2, 2), 512, 3);
  const auto neck = conv_leaky(g, x, 256, 1);
  const auto coarse = g.conv(conv_leaky(g, neck, 512, 3), kPerCell, {});
  const auto up = g.upsample(conv_leaky(g, neck, 128, 1), 2);
  const auto fine = g.conv(conv_leaky(g, g.concat({up, deep.inner}, 1), 256, 3), kPerCell, {});
  g.output(coarse, "coarse", {"batch", kPerCell, "coarse_cells", "coarse_cells"});
  g.output(fine, "fine", {"batch", kPerCell, "fine_cells", "fine_cells"});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
