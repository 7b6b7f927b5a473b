// Operators that change or return a shape. The elements keep their order.
#include <algorithm>

#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/infer/rebatch.h"

namespace ridgewatt::workload {
namespace {

void identity(InferContext& c) {
  c.set(0, c.input(0));
}

// Fills in the extent written as -1 and checks the number of elements.
void complete(const InferContext& c, const Shape& from, Shape& to, std::ptrdiff_t open) {
  const auto elements = checked_element_count(from, "");
  if (!elements || std::count(to.begin(), to.end(), kUnknownDim) > (open >= 0 ? 1 : 0)) return;
  if (open < 0) {
    if (*elements != product(to, 0, to.size())) {
      c.fail("cannot reshape " + format_shape(from) + " to " + format_shape(to));
    }
    return;
  }
  to[static_cast<std::size_t>(open)] = 1;
  const std::int64_t rest = product(to, 0, to.size());
  if (rest == 0 ? *elements != 0 : *elements % rest != 0) {
    c.fail("cannot reshape " + format_shape(from) + " into groups of " + std::to_string(rest));
  }
  to[static_cast<std::size_t>(open)] = rest == 0 ? 0 : *elements / rest;
}

void reshape(InferContext& c) {
  const std::vector<std::int64_t>* target = c.node().integers("shape");
  if (target == nullptr) target = c.ints(1);
  if (target == nullptr) {
    const Shape* length = c.shape(1);
    std::optional<Shape> unknown;
    if (length != nullptr && length->size() == 1 && (*length)[0] >= 0 && (*length)[0] <= 64) {
      unknown.emplace(static_cast<std::size_t>((*length)[0]), kUnknownDim);
    }
    return c.set(0, c.dtype(0), std::move(unknown));
  }
  const Shape* from = c.shape(0);
  const bool keep_zero = c.node().integer("allowzero", 0) != 0;
  Shape to;
  std::ptrdiff_t open = -1;
  int unknown = 0;
  for (std::size_t i = 0; i < target->size(); ++i) {
    std::int64_t extent = (*target)[i];
    if (extent == kUnknownInt) {
      ++unknown;
      extent = kUnknownDim;
    } else if (extent == -1) {
      if (open >= 0) c.fail("the shape has -1 twice");
      open = static_cast<std::ptrdiff_t>(i);
    } else if (extent == 0 && !keep_zero) {
      extent = from != nullptr && i < from->size() ? (*from)[i] : kUnknownDim;
      if (from != nullptr && i >= from->size())
        c.fail("the shape has 0 for an axis that the input does not have");
    } else if (extent < -1) {
      c.fail("the shape has the impossible dimension " + std::to_string(extent));
    }
    to.push_back(extent);
  }
  if (from != nullptr) {
    rebatch_target(c, *from, open, to);
    // If there is no -1, a single unknown extent follows from the number of elements.
    if (open < 0 && unknown == 1) {
      open = std::find(to.begin(), to.end(), kUnknownDim) - to.begin();
    }
    complete(c, *from, to, open);
  }
  c.set(0, c.dtype(0), std::move(to));
}

void flatten(InferContext& c) {
  const Shape* shape = c.shape(0);
  std::optional<Shape> result = Shape{kUnknownDim, kUnknownDim};
  if (shape != nullptr) {
    const auto rank = static_cast<std::int64_t>(shape->size());
    std::int64_t axis = c.node().integer("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) c.fail("an axis is outside the rank of the tensor");
    const auto at = static_cast<std::size_t>(axis);
    result = Shape{product(*shape, 0, at), product(*shape, at, shape->size())};
  }
  c.set(0, c.dtype(0), std::move(result));
}

void squeeze(InferContext& c) {
  const Shape* shape = c.shape(0);
  const auto* axes = c.ints_of("axes", 1);
  const bool open = axes == nullptr && c.has_input(1);
  if (shape == nullptr || open) return c.set(0, c.dtype(0));
  std::vector<bool> drop(shape->size(), false);
  if (axes != nullptr) {
    for (const std::int64_t axis : *axes) drop[c.axis(axis, shape->size())] = true;
  } else {
    if (std::count(shape->begin(), shape->end(), kUnknownDim) > 0) return c.set(0, c.dtype(0));
    for (std::size_t i = 0; i < shape->size(); ++i) drop[i] = (*shape)[i] == 1;
  }
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!drop[i]) {
      result.push_back((*shape)[i]);
    } else if ((*shape)[i] > 1) {
      c.fail("axis " + std::to_string(i) + " of shape " + format_shape(*shape) +
             " cannot be squeezed, because its size is not 1");
    }
  }
  c.set(0, c.dtype(0), std::move(result));
}

void unsqueeze(InferContext& c) {
  const Shape* shape = c.shape(0);
  const auto* axes = c.ints_of("axes", 1);
  if (shape == nullptr || axes == nullptr) return c.set(0, c.dtype(0));
  const std::size_t rank = shape->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *axes) {
    const std::size_t at = c.axis(axis, rank);
    if (is_new[at]) c.fail("axis " + std::to_string(axis) + " occurs twice");
    is_new[at] = true;
  }
  Shape result;
  auto next = shape->begin();
  for (std::size_t i = 0; i < rank; ++i) result.push_back(is_new[i] ? 1 : *next++);
  c.set(0, c.dtype(0), std::move(result));
}

// --- Shapes as content ---

void shape_of(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, DataType::kInt64, Shape{kUnknownDim});
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto place = [rank](std::int64_t index) {
    if (index < 0) index = index < -rank ? 0 : index + rank;
    return std::min(index, rank);
  };
  const std::int64_t start = place(c.node().integer("start", 0));
  const std::int64_t end = place(c.node().integer("end", rank));
  Constant content;
  for (std::int64_t i = start; i < end; ++i) {
    const std::int64_t extent = (*shape)[static_cast<std::size_t>(i)];
    content.ints.push_back(extent == kUnknownDim ? kUnknownInt : extent);
  }
  c.set(0, DataType::kInt64, Shape{static_cast<std::int64_t>(content.ints.size())});
  c.set_content(0, std::move(content));
}

void size_of(InferContext& c) {
  c.set(0, DataType::kInt64, Shape{});
  const auto count = c.has_input(0) ? c.input(0).element_count() : std::nullopt;
  if (count) c.set_content(0, {{*count}, {}, {}});
}

constexpr OpEntry kReshapeOps[] = {
    {.name = "Identity", .shape = identity},
    {.name = "Reshape", .shape = reshape, .fold = fold_same_content},
    {.name = "Flatten", .shape = flatten, .fold = fold_same_content},
    {.name = "Squeeze", .shape = squeeze, .fold = fold_same_content},
    {.name = "Unsqueeze", .shape = unsqueeze, .fold = fold_same_content},
    {.name = "Shape", .shape = shape_of},
    {.name = "Size", .shape = size_of},
};

}  // namespace

std::span<const OpEntry> reshape_ops() {
  return kReshapeOps;
}

}  // namespace ridgewatt::workload
