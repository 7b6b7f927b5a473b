// Resampling, grids, boxes and images.
#include <cmath>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

std::int64_t scaled(std::int64_t extent, double scale) {
  if (extent == kUnknownDim || !std::isfinite(scale) || scale < 0 || scale > 0x1p40) {
    return kUnknownDim;
  }
  // The runtimes store the scale as a float.
  const double size = std::floor(static_cast<double>(extent) * scale);
  return size < static_cast<double>(kMaxElements) ? static_cast<std::int64_t>(size) : kUnknownDim;
}

// Resize(X, roi, scales, sizes) since opset 11, Resize(X, scales) before.
void resize(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const std::size_t scales_at = c.opset() < 11 ? 1 : 2;
  Shape out = *shape;
  const auto* axes = c.node().integers("axes");
  const std::size_t count = axes != nullptr ? axes->size() : shape->size();
  const auto axis_of = [&](std::size_t i) {
    return axes != nullptr ? c.axis((*axes)[i], shape->size()) : i;
  };
  const auto* sizes = c.ints(3);
  const auto* scales = c.known_reals(scales_at);
  if (sizes != nullptr && !sizes->empty()) {
    if (sizes->size() != count) c.fail("the number of sizes differs from the number of axes");
    const std::string_view policy = c.node().text("keep_aspect_ratio_policy", "stretch");
    double scale = policy == "not_larger" ? HUGE_VAL : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double ratio =
          static_cast<double>((*sizes)[i]) / static_cast<double>((*shape)[axis_of(i)]);
      scale = policy == "not_larger" ? std::min(scale, ratio) : std::max(scale, ratio);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t axis = axis_of(i);
      const bool known = (*sizes)[i] != kUnknownInt && (*shape)[axis] != kUnknownDim;
      if (policy == "stretch") {
        out[axis] = (*sizes)[i] == kUnknownInt ? kUnknownDim : (*sizes)[i];
      } else {
        const double extent = std::round(scale * static_cast<double>((*shape)[axis]));
        out[axis] =
            known && std::abs(extent) < 0x1p48 ? static_cast<std::int64_t>(extent) : kUnknownDim;
      }
    }
  } else if (scales != nullptr && !scales->empty()) {
    if (scales->size() != count) c.fail("the number of scales differs from the number of axes");
    for (std::size_t i = 0; i < count; ++i) {
      out[axis_of(i)] = scaled((*shape)[axis_of(i)], (*scales)[i]);
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) out[axis_of(i)] = kUnknownDim;
  }
  c.set(0, c.dtype(0), std::move(out));
}

void upsample(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const std::vector<double>* scales = c.known_reals(1);
  if (const Attribute* given = c.node().find("scales")) scales = &given->floats;
  Shape out(shape->size(), kUnknownDim);
  if (scales != nullptr && scales->size() == shape->size()) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = scaled((*shape)[i], (*scales)[i]);
  }
  c.set(0, c.dtype(0), std::move(out));
}

// X [N, C, d...], grid [N, o..., axes]: [N, C, o...].
void grid_sample(InferContext& c) {
  const Shape* x = c.shape(0);
  const Shape* grid = c.shape(1);
  if (grid == nullptr || grid->size() < 3) return c.set(0, c.dtype(0));
  Shape out = {x != nullptr && !x->empty() ? (*x)[0] : (*grid)[0],
               x != nullptr && x->size() > 1 ? (*x)[1] : kUnknownDim};
  out.insert(out.end(), grid->begin() + 1, grid->end() - 1);
  c.set(0, c.dtype(0), std::move(out));
}

// theta [N, axes, axes + 1], size (N, C, d...): [N, d..., axes].
void affine_grid(InferContext& c) {
  const auto* size = c.ints(1);
  if (size == nullptr || size->size() < 3) return c.set(0, c.dtype(0));
  Shape out;
  for (std::size_t i = 0; i < size->size(); ++i) {
    if (i != 1) out.push_back((*size)[i] == kUnknownInt ? kUnknownDim : (*size)[i]);
  }
  out.push_back(static_cast<std::int64_t>(size->size()) - 2);
  c.set(0, c.dtype(0), std::move(out));
}

// Columns back to an image: input [N, C x product(block), L], image [d...], block [d...].
void col2im(InferContext& c) {
  const Shape* columns = c.shape(0);
  const auto* image = c.ints(1);
  const auto* block = c.known_ints(2);
  if (columns == nullptr || columns->size() < 2 || image == nullptr) return c.set(0, c.dtype(0));
  std::int64_t area = kUnknownDim;
  if (block != nullptr) {
    area = 1;
    for (const std::int64_t extent : *block) {
      if (extent < 1)
        c.fail("a block must have dimensions of 1 or more, but has " + std::to_string(extent));
      area = multiply_extents(area, extent);
    }
  }
  const std::int64_t channels =
      (*columns)[1] == kUnknownDim || area == kUnknownDim ? kUnknownDim : (*columns)[1] / area;
  Shape out = {(*columns)[0], channels};
  for (const std::int64_t extent : *image) {
    out.push_back(extent == kUnknownInt ? kUnknownDim : extent);
  }
  c.set(0, c.dtype(0), std::move(out));
}

// The number of remaining boxes depends on their coordinates.
void non_max_suppression(InferContext& c) {
  std::int64_t count = kUnknownDim;
  const auto most = c.known_int(2);
  if (!c.has_input(2) || (most && *most == 0)) count = 0;
  c.set(0, DataType::kInt64, Shape{count, 3});
}

// Height and width depend on the bytes of the image.
void image_decoder(InferContext& c) {
  const bool gray = c.node().text("pixel_format", "RGB") == "Grayscale";
  c.set(0, DataType::kUint8, Shape{kUnknownDim, kUnknownDim, gray ? 1 : 3});
}

constexpr OpEntry kVisionOps[] = {
    {.name = "Resize", .shape = resize},
    {.name = "Upsample", .shape = upsample},
    {.name = "GridSample", .shape = grid_sample},
    {.name = "AffineGrid", .shape = affine_grid},
    {.name = "Col2Im", .shape = col2im},
    {.name = "NonMaxSuppression", .shape = non_max_suppression},
    {.name = "ImageDecoder", .shape = image_decoder},
};

}  // namespace

std::span<const OpEntry> vision_ops() {
  return kVisionOps;
}

}  // namespace ridgewatt::workload
