// Poolings.
#include <algorithm>

#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/sliding_window.h"

namespace ridgewatt::workload {
namespace {

void pool_of(InferContext& c, DataType type, bool channels_last) {
  std::optional<Shape> in = c.input(0).shape;
  std::optional<Shape> out;
  if (in) {
    if (channels_last && in->size() > 2) std::rotate(in->begin() + 1, in->end() - 1, in->end());
    if (in->size() < 2)
      c.fail("the input must have rank 2 or more, but has " + std::to_string(in->size()));
    const SlidingWindow window = read_window(c, in->size() - 2, {});
    out = Shape{(*in)[0], (*in)[1]};
    for (std::size_t i = 2; i < in->size(); ++i) {
      out->push_back(window.output_extent(c, i - 2, (*in)[i]));
    }
    if (channels_last && in->size() > 2)
      std::rotate(out->begin() + 1, out->begin() + 2, out->end());
  }
  c.set(0, type, out);
  c.set(1, DataType::kInt64, out);  // MaxPool's indices
}

void pool(InferContext& c) {
  pool_of(c, c.dtype(0), false);
}
void nhwc_pool(InferContext& c) {
  pool_of(c, c.dtype(0), true);
}
void qlinear_pool(InferContext& c) {
  pool_of(c, c.dtype(0), c.node().integer("channels_last", 0) != 0);
}

void global_pool(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  for (std::size_t i = 2; shape && i < shape->size(); ++i) (*shape)[i] = 1;
  c.set(0, c.dtype(0), std::move(shape));
}

void max_unpool(InferContext& c) {
  const Shape* in = c.shape(0);
  if (in == nullptr || in->size() < 2) return c.set(0, c.dtype(0));
  if (c.has_input(2)) {
    std::optional<Shape> out(std::in_place, in->size(), kUnknownDim);
    if (const auto* extents = c.known_ints(2)) out = *extents;
    return c.set(0, c.dtype(0), std::move(out));
  }
  const SlidingWindow window = read_window(c, in->size() - 2, {});
  Shape out = {(*in)[0], (*in)[1]};
  for (std::size_t i = 0; i + 2 < in->size(); ++i) {
    const std::int64_t extent = (*in)[i + 2];
    out.push_back(extent < 1
                      ? kUnknownDim
                      : add_extents(multiply_extents(extent - 1, window.strides[i]),
                                    window.kernel[i] - window.pads_begin[i] - window.pads_end[i]));
  }
  c.set(0, c.dtype(0), std::move(out));
}

// rois [R, 4 or 5]: output [R, C, height, width].
void roi_pool(InferContext& c, std::int64_t height, std::int64_t width) {
  const Shape* in = c.shape(0);
  const Shape* rois = c.shape(1);
  Shape out = {rois != nullptr && !rois->empty() ? (*rois)[0] : kUnknownDim,
               in != nullptr && in->size() > 1 ? (*in)[1] : kUnknownDim, height, width};
  c.set(0, c.dtype(0), std::move(out));
}
void roi_align(InferContext& c) {
  roi_pool(c, c.node().integer("output_height", 1), c.node().integer("output_width", 1));
}
void max_roi_pool(InferContext& c) {
  const auto* size = c.node().integers("pooled_shape");
  if (size == nullptr || size->size() != 2) c.fail("the attribute pooled_shape is missing");
  roi_pool(c, (*size)[0], (*size)[1]);
}

constexpr OpEntry kPoolOps[] = {
    {.name = "MaxPool", .shape = pool},
    {.name = "AveragePool", .shape = pool},
    {.name = "LpPool", .shape = pool},
    {.name = "NhwcMaxPool", .domain = "com.microsoft", .shape = nhwc_pool},
    {.name = "QLinearAveragePool", .domain = "com.microsoft", .shape = qlinear_pool},
    {.name = "GlobalMaxPool", .shape = global_pool},
    {.name = "GlobalAveragePool", .shape = global_pool},
    {.name = "GlobalLpPool", .shape = global_pool},
    {.name = "MaxUnpool", .shape = max_unpool},
    {.name = "RoiAlign", .shape = roi_align},
    {.name = "MaxRoiPool", .shape = max_roi_pool},
};

}  // namespace

std::span<const OpEntry> pool_ops() {
  return kPoolOps;
}

}  // namespace ridgewatt::workload
