// Operators that copy or rearrange elements without reading their values.
#include <algorithm>
#include <numeric>

#include "ridgewatt/workload/infer/broadcast.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

using Indices = std::vector<std::int64_t>;

// Fills the content of output 0, which must have rank `rank`. at(position) returns the flat index
// in the first input of an output element, or -1 for an unknown element.
template <typename At>
void fold_positions(InferContext& c, std::size_t rank, At at) {
  const std::int64_t count = c.foldable(0);
  const Constant* content = c.constant(0);
  if (count < 0 || content == nullptr || !c.input(0).has_static_shape()) return;
  const Shape& out = *c.output(0).shape;
  if (out.size() != rank) return;
  Shape position(out.size(), 0);
  Indices indices;
  for (std::int64_t i = 0; i < count; ++i) {
    indices.push_back(at(position));
    for (std::size_t axis = out.size(); axis-- > 0;) {
      if (++position[axis] < out[axis]) break;
      position[axis] = 0;
    }
  }
  c.set_content(0, pick(*content, indices));
}

void transpose(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  Shape result;
  std::vector<std::int64_t> order(shape->size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (const auto* given = c.node().integers("perm")) order = *given;
  if (order.size() != shape->size()) c.fail("perm does not have the rank of the input");
  std::vector<bool> used(shape->size(), false);
  for (const std::int64_t axis : order) {
    const std::size_t at = c.axis(axis, shape->size());
    if (used[at]) c.fail("perm contains an axis twice");
    used[at] = true;
    result.push_back((*shape)[at]);
  }
  c.set(0, c.dtype(0), std::move(result));
}

void fold_transpose(InferContext& c) {
  if (c.constant(0) == nullptr || c.shape(0) == nullptr) return;
  const std::size_t rank = c.shape(0)->size();
  std::vector<std::int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (const auto* given = c.node().integers("perm")) order = *given;
  if (order.size() != rank) return;
  const Indices strides = strides_of(*c.shape(0));
  fold_positions(c, rank, [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < rank; ++i) at += position[i] * strides[c.axis(order[i], rank)];
    return at;
  });
}

void concat(InferContext& c) {
  std::optional<Shape> result;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const Shape* shape = c.shape(i);
    if (shape == nullptr) return c.set(0, c.dtype(0));
    if (!result) {
      result = *shape;
      continue;
    }
    if (shape->size() != result->size()) c.fail("the inputs have different ranks");
    const std::size_t axis = c.axis(c.node().integer("axis", 1), shape->size());
    for (std::size_t k = 0; k < shape->size(); ++k) {
      std::int64_t& extent = (*result)[k];
      if (k == axis) {
        extent = add_extents(extent, (*shape)[k]);
      } else {
        if (extent != kUnknownDim && (*shape)[k] != kUnknownDim && extent != (*shape)[k]) {
          c.fail("cannot concatenate " + format_shape(*result) + " and " + format_shape(*shape) +
                 " along axis " + std::to_string(axis));
        }
        extent = merge_extents(extent, (*shape)[k]);
      }
    }
  }
  c.set(0, c.dtype(0), std::move(result));
}

void fold_concat(InferContext& c) {
  const std::int64_t count = c.foldable(0);
  if (count < 0) return;
  if (count == 0) return c.set_content(0, {});  // the outer extents may be huge
  const Shape& out = *c.output(0).shape;
  const std::size_t axis = c.axis(c.node().integer("axis", 1), out.size());
  const std::int64_t outer = product(out, 0, axis);
  Constant result;
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < c.input_count(); ++i) {
      const Constant* content = c.constant(i);
      if (!c.input(i).has_static_shape()) return;
      const std::int64_t length = product(*c.shape(i), axis, out.size());
      Indices indices(static_cast<std::size_t>(length));
      std::iota(indices.begin(), indices.end(), row * length);
      Constant part;
      if (content != nullptr) {
        part = pick(*content, indices);
      } else if (is_integer(c.dtype(i)) || c.dtype(i) == DataType::kBool) {
        part.ints.assign(indices.size(), kUnknownInt);
      } else {
        return;
      }
      result.ints.insert(result.ints.end(), part.ints.begin(), part.ints.end());
      result.floats.insert(result.floats.end(), part.floats.begin(), part.floats.end());
      result.strings.insert(result.strings.end(), part.strings.begin(), part.strings.end());
    }
  }
  c.set_content(0, std::move(result));
}

void split(InferContext& c) {
  const std::size_t parts = c.output_count();
  const Shape* shape = c.shape(0);
  for (std::size_t i = 0; i < parts; ++i) c.set(i, c.dtype(0));
  if (shape == nullptr || parts == 0) return;
  const std::size_t axis = c.axis(c.node().integer("axis", 0), shape->size());
  const auto* sizes = c.ints_of("split", 1);
  const std::int64_t whole = (*shape)[axis];
  if (sizes != nullptr && sizes->size() != parts)
    c.fail("the number of sizes differs from the number of outputs");
  const auto count = static_cast<std::int64_t>(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    Shape part = *shape;
    if (sizes != nullptr) {
      part[axis] = std::max<std::int64_t>((*sizes)[i], 0);
    } else if (whole == kUnknownDim || c.has_input(1)) {
      part[axis] = kUnknownDim;
    } else {  // equal parts, the last one smaller
      const std::int64_t each = (whole + count - 1) / count;
      part[axis] = std::clamp<std::int64_t>(whole - each * static_cast<std::int64_t>(i), 0, each);
    }
    c.set(i, c.dtype(0), std::move(part));
  }
}

void fold_split(InferContext& c) {
  const Constant* content = c.constant(0);
  if (content == nullptr || !c.input(0).has_static_shape() || c.shape(0)->size() != 1) return;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i) || c.foldable(i) < 0) return;
    Indices indices(static_cast<std::size_t>(c.foldable(i)));
    std::iota(indices.begin(), indices.end(), start);
    start += c.foldable(i);
    c.set_content(i, pick(*content, indices));
  }
}

struct SliceAxis {
  std::size_t axis;
  std::int64_t start;  // first index that is taken
  std::int64_t step;
  std::int64_t extent;  // number of indices
};

// One axis of a Slice, with numpy's clamping. `extent` is known.
SliceAxis slice_axis(const InferContext& c, std::size_t axis, std::int64_t start, std::int64_t end,
                     std::int64_t step, std::int64_t extent) {
  if (step == 0) c.fail("the step is 0");
  step = std::clamp<std::int64_t>(step, -kMaxElements, kMaxElements);
  const auto place = [extent](std::int64_t index, std::int64_t low, std::int64_t high) {
    if (index < 0) index = index < -extent ? -1 : index + extent;
    return std::clamp(index, low, high);
  };
  if (step > 0) {
    if (start < -extent) start = 0;
    if (end < -extent) end = 0;
    start = place(start, 0, extent);
    end = place(end, 0, extent);
    return {axis, start, step, std::max<std::int64_t>(0, (end - start + step - 1) / step)};
  }
  start = place(start, -1, extent - 1);
  end = place(end, -1, extent - 1);
  return {axis, start, step, std::max<std::int64_t>(0, (start - end - step - 1) / -step)};
}

struct SliceParameters {
  Indices starts, ends, axes, steps;
};

// Returns false if the axes are unknown. Unknown starts, ends and steps are kUnknownInt.
bool slice_parameters(const InferContext& c, std::size_t rank, SliceParameters& p) {
  const bool attributes = c.node().find("starts") != nullptr;
  const auto* starts = attributes ? c.node().integers("starts") : c.ints(1);
  const auto* ends = attributes ? c.node().integers("ends") : c.ints(2);
  const auto* axes = attributes ? c.node().integers("axes") : c.known_ints(3);
  const auto* steps = attributes ? nullptr : c.ints(4);
  if (!attributes && axes == nullptr && c.has_input(3)) return false;
  std::size_t count = 0;
  if (axes != nullptr) {
    count = axes->size();
  } else if (starts != nullptr) {
    count = starts->size();
  } else if (c.shape(1) != nullptr && c.shape(1)->size() == 1 && (*c.shape(1))[0] >= 0) {
    count = static_cast<std::size_t>((*c.shape(1))[0]);
  } else {
    return false;
  }
  if (count > rank) c.fail("starts has more values than the input has axes");
  const auto fill = [&](const Indices* from, std::int64_t otherwise) {
    if (from != nullptr && from->size() != count)
      c.fail("starts, ends, axes and steps have different lengths");
    return from != nullptr ? *from : Indices(count, otherwise);
  };
  p.starts = fill(starts, kUnknownInt);
  p.ends = fill(ends, kUnknownInt);
  p.steps = fill(steps, c.has_input(4) ? kUnknownInt : 1);
  p.axes = fill(axes, 0);
  if (axes == nullptr) std::iota(p.axes.begin(), p.axes.end(), 0);
  return true;
}

void slice(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  SliceParameters p;
  Shape result = *shape;
  if (!slice_parameters(c, shape->size(), p)) {
    std::fill(result.begin(), result.end(), kUnknownDim);
    return c.set(0, c.dtype(0), std::move(result));
  }
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const std::size_t axis = c.axis(p.axes[i], shape->size());
    const bool known = p.starts[i] != kUnknownInt && p.ends[i] != kUnknownInt &&
                       p.steps[i] != kUnknownInt && (*shape)[axis] != kUnknownDim;
    result[axis] =
        known ? slice_axis(c, axis, p.starts[i], p.ends[i], p.steps[i], (*shape)[axis]).extent
              : kUnknownDim;
    if (!known && p.starts[i] == 0 && p.steps[i] == 1 && p.ends[i] >= kMaxElements) {
      result[axis] = (*shape)[axis];  // the whole axis, even if its extent is unknown
    }
  }
  c.set(0, c.dtype(0), std::move(result));
}

void fold_slice(InferContext& c) {
  if (c.constant(0) == nullptr || c.foldable(0) < 0 || !c.input(0).has_static_shape()) return;
  const Shape& shape = *c.shape(0);
  SliceParameters p;
  if (!slice_parameters(c, shape.size(), p)) return;
  Indices starts(shape.size(), 0);
  Indices steps(shape.size(), 1);
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const std::size_t axis = c.axis(p.axes[i], shape.size());
    if (p.starts[i] == kUnknownInt || p.ends[i] == kUnknownInt || p.steps[i] == kUnknownInt) return;
    const SliceAxis part = slice_axis(c, axis, p.starts[i], p.ends[i], p.steps[i], shape[axis]);
    starts[axis] = part.start;
    steps[axis] = part.step;
  }
  const Indices strides = strides_of(shape);
  fold_positions(c, shape.size(), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      at += (starts[i] + position[i] * steps[i]) * strides[i];
    }
    return at;
  });
}

// Extents from the content of another tensor, with -1 for unknown ones. Nothing if even their
// number is unknown.
std::optional<Shape> extents_from(const InferContext& c, std::size_t input) {
  if (const auto* values = c.ints(input)) {
    Shape shape;
    for (const std::int64_t value : *values) {
      if (value != kUnknownInt && value < 0) c.fail("the shape has a negative dimension");
      shape.push_back(value == kUnknownInt ? kUnknownDim : value);
    }
    return shape;
  }
  const Shape* length = c.shape(input);
  if (length == nullptr || length->size() != 1 || (*length)[0] < 0 || (*length)[0] > 64) {
    return std::nullopt;
  }
  return Shape(static_cast<std::size_t>((*length)[0]), kUnknownDim);
}

void expand(InferContext& c) {
  const auto target = extents_from(c, 1);
  c.set(0, c.dtype(0), broadcast(c, c.shape(0), target ? &*target : nullptr));
}

void fold_expand(InferContext& c) {
  if (c.constant(0) == nullptr || c.foldable(0) < 0) return;
  const Shape& shape = *c.shape(0);
  const Shape& out = *c.output(0).shape;
  if (!broadcasts_to(shape, out)) return;
  const std::size_t shift = out.size() - shape.size();
  const Indices strides = strides_of(shape);
  fold_positions(c, out.size(), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) at += position[shift + i] * strides[i];
    }
    return at;
  });
}

void tile(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const auto* repeats = c.ints(1);
  if (repeats != nullptr && repeats->size() != shape->size())
    c.fail("the number of repeats differs from the rank of the input");
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const std::int64_t times = repeats == nullptr || (*repeats)[i] == kUnknownInt
                                   ? kUnknownDim
                                   : std::max<std::int64_t>((*repeats)[i], 0);
    result.push_back(multiply_extents((*shape)[i], times));
  }
  c.set(0, c.dtype(0), std::move(result));
}

void fold_tile(InferContext& c) {
  if (c.constant(0) == nullptr || c.shape(0) == nullptr) return;
  const Shape& shape = *c.shape(0);
  const Indices strides = strides_of(shape);
  fold_positions(c, shape.size(), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) at += position[i] % shape[i] * strides[i];
    return at;
  });
}

void pad(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const auto* pads = c.node().integers("pads");
  if (pads == nullptr) pads = c.node().integers("paddings");
  const bool attribute = pads != nullptr;
  if (!attribute) pads = c.ints(1);
  const auto* axes = attribute ? nullptr : c.known_ints(3);
  Shape result = *shape;
  const bool axes_unknown = !attribute && c.has_input(3) && axes == nullptr;
  if (pads == nullptr || axes_unknown) {
    std::fill(result.begin(), result.end(), kUnknownDim);
    return c.set(0, c.dtype(0), std::move(result));
  }
  const std::size_t count = axes != nullptr ? axes->size() : shape->size();
  if (pads->size() != 2 * count) c.fail("the number of pads does not fit the rank of the input");
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axes != nullptr ? c.axis((*axes)[i], shape->size()) : i;
    const std::int64_t before = (*pads)[i];
    const std::int64_t after = (*pads)[count + i];
    if (before == kUnknownInt || after == kUnknownInt || result[axis] == kUnknownDim) {
      result[axis] = kUnknownDim;
      continue;
    }
    if (std::abs(before) > kMaxElements || std::abs(after) > kMaxElements)
      c.fail("a value of pads is too large");
    result[axis] += before + after;
    if (result[axis] < 0) c.fail("the pads remove more elements than the input has");
  }
  c.set(0, c.dtype(0), std::move(result));
}

std::int64_t block_of(const InferContext& c, const Shape& shape) {
  const std::int64_t block = c.node().integer("blocksize", 0);
  if (shape.size() != 4 || block < 1 || block > (1 << 20))
    c.fail("the input must have rank 4, and blocksize must be 1 to 2^20");
  return block;
}

void depth_to_space(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const std::int64_t block = block_of(c, *shape);
  Shape result = *shape;
  if (result[1] != kUnknownDim) result[1] /= block * block;
  result[2] = multiply_extents(result[2], block);
  result[3] = multiply_extents(result[3], block);
  c.set(0, c.dtype(0), std::move(result));
}

void space_to_depth(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const std::int64_t block = block_of(c, *shape);
  Shape result = *shape;
  result[1] = multiply_extents(result[1], block * block);
  if (result[2] != kUnknownDim) result[2] /= block;
  if (result[3] != kUnknownDim) result[3] /= block;
  c.set(0, c.dtype(0), std::move(result));
}

void center_crop_pad(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  Shape result = *shape;
  const auto* axes = c.node().integers("axes");
  const std::size_t count = axes != nullptr ? axes->size() : shape->size();
  const auto target = extents_from(c, 1);
  if (target && target->size() != count)
    c.fail("the number of sizes differs from the number of axes");
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axes != nullptr ? c.axis((*axes)[i], shape->size()) : i;
    result[axis] = target ? (*target)[i] : kUnknownDim;
  }
  c.set(0, c.dtype(0), std::move(result));
}

constexpr OpEntry kMovementOps[] = {
    {.name = "Transpose", .shape = transpose, .fold = fold_transpose},
    {.name = "Concat", .shape = concat, .fold = fold_concat},
    {.name = "Split", .shape = split, .fold = fold_split},
    {.name = "Slice", .shape = slice, .fold = fold_slice},
    {.name = "Expand", .shape = expand, .fold = fold_expand},
    {.name = "Tile", .shape = tile, .fold = fold_tile},
    {.name = "Pad", .shape = pad},
    {.name = "DepthToSpace", .shape = depth_to_space},
    {.name = "SpaceToDepth", .shape = space_to_depth},
    {.name = "CenterCropPad", .shape = center_crop_pad},
    {.name = "ReverseSequence", .shape = same_as_input},
    {.name = "Trilu", .shape = same_as_input},
};

}  // namespace

std::span<const OpEntry> movement_ops() {
  return kMovementOps;
}

}  // namespace ridgewatt::workload
