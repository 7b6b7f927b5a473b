// Operators that select, place or find elements by index.
#include <algorithm>
#include <numeric>
#include <set>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

using Indices = std::vector<std::int64_t>;

void gather(InferContext& c) {
  const Shape* data = c.shape(0);
  const Shape* indices = c.shape(1);
  if (data == nullptr || indices == nullptr) return c.set(0, c.dtype(0));
  const std::size_t axis = c.axis(c.node().integer("axis", 0), data->size());
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape out(data->begin(), data->begin() + at);
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), data->begin() + at + 1, data->end());
  c.set(0, c.dtype(0), std::move(out));
}

void fold_gather(InferContext& c) {
  const Constant* data = c.constant(0);
  const auto* indices = c.ints(1);
  if (data == nullptr || indices == nullptr || c.foldable(0) < 0 ||
      !c.input(0).has_static_shape()) {
    return;
  }
  if (c.foldable(0) == 0) return c.set_content(0, {});  // the outer extents may be huge
  const Shape& shape = *c.shape(0);
  const std::size_t axis = c.axis(c.node().integer("axis", 0), shape.size());
  const std::int64_t outer = product(shape, 0, axis);
  const std::int64_t extent = shape[axis];
  const std::int64_t inner = product(shape, axis + 1, shape.size());
  Indices flat;
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::int64_t index : *indices) {
      if (index != kUnknownInt && (index < -extent || index >= extent)) {
        c.fail("index " + std::to_string(index) + " is outside a dimension of " +
               std::to_string(extent));
      }
      if (index != kUnknownInt && index < 0) index += extent;
      for (std::int64_t i = 0; i < inner; ++i) {
        flat.push_back(index == kUnknownInt ? -1 : (row * extent + index) * inner + i);
      }
    }
  }
  c.set_content(0, pick(*data, flat));
}

void gather_elements(InferContext& c) {
  c.set(0, c.dtype(0), c.input(1).shape);
}

void fold_gather_elements(InferContext& c) {
  const Constant* data = c.constant(0);
  const auto* indices = c.known_ints(1);
  if (data == nullptr || indices == nullptr || c.foldable(0) < 0 || c.shape(0) == nullptr ||
      c.shape(0)->size() != 1 || c.shape(1)->size() != 1) {
    return;
  }
  Indices flat = *indices;
  const std::int64_t extent = (*c.shape(0))[0];
  for (std::int64_t& index : flat) {
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) return;
  }
  c.set_content(0, pick(*data, flat));
}

// data [d...], indices [q..., k]: the first batch_dims axes are shared, k axes are indexed.
void gather_nd(InferContext& c) {
  const Shape* data = c.shape(0);
  const Shape* indices = c.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty() || indices->back() == kUnknownDim) {
    return c.set(0, c.dtype(0));
  }
  const std::int64_t shared = c.node().integer("batch_dims", 0);
  const std::int64_t depth = indices->back();
  if (shared < 0 || shared > static_cast<std::int64_t>(data->size()) ||
      depth > static_cast<std::int64_t>(data->size()) - shared) {
    c.fail("index tuples of length " + std::to_string(depth) + " do not fit the data of shape " +
           format_shape(*data));
  }
  Shape out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), data->begin() + static_cast<std::ptrdiff_t>(shared + depth), data->end());
  c.set(0, c.dtype(0), std::move(out));
}

// ScatterND on a vector. Exporters compute shapes with it (x[i] = value).
void fold_scatter_nd(InferContext& c) {
  const auto* data = c.ints(0);
  const auto* indices = c.known_ints(1);
  const auto* updates = c.ints(2);
  if (data == nullptr || indices == nullptr || updates == nullptr || c.shape(0) == nullptr ||
      c.shape(0)->size() != 1 || c.shape(1) == nullptr || c.shape(1)->empty() ||
      c.shape(1)->back() != 1 || indices->size() != updates->size() ||
      c.node().text("reduction", "none") != "none") {
    return;
  }
  Indices result = *data;
  const auto extent = static_cast<std::int64_t>(result.size());
  for (std::size_t i = 0; i < indices->size(); ++i) {
    std::int64_t index = (*indices)[i];
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) return;
    result[static_cast<std::size_t>(index)] = (*updates)[i];
  }
  c.set_content(0, {std::move(result), {}, {}});
}

void one_hot(InferContext& c) {
  const Shape* indices = c.shape(0);
  const DataType type = c.dtype(2);
  if (indices == nullptr) return c.set(0, type);
  std::int64_t depth = c.known_int(1).value_or(kUnknownDim);
  if (const auto* real = c.known_reals(1); real != nullptr && real->size() == 1) {
    depth = (*real)[0] >= 0 && (*real)[0] < 0x1p40 ? static_cast<std::int64_t>((*real)[0])
                                                   : kUnknownDim;
  }
  if (depth < 0) depth = kUnknownDim;
  Shape out = *indices;
  const std::size_t axis = c.axis(c.node().integer("axis", -1), indices->size() + 1);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  c.set(0, type, std::move(out));
}

// Whether each element is non-zero. Returns nothing if an element is unknown.
std::optional<std::vector<bool>> truth(const InferContext& c, std::size_t input) {
  std::vector<bool> result;
  if (const auto* ints = c.known_ints(input)) {
    for (const std::int64_t value : *ints) result.push_back(value != 0);
    return result;
  }
  if (const auto* reals = c.known_reals(input)) {
    for (const double value : *reals) result.push_back(value != 0);
    return result;
  }
  return std::nullopt;
}

void non_zero(InferContext& c) {
  const Shape* shape = c.shape(0);
  const std::int64_t rank =
      shape == nullptr ? kUnknownDim
                       : std::max<std::int64_t>(1, static_cast<std::int64_t>(shape->size()));
  const auto nonzero = truth(c, 0);
  if (!nonzero || shape == nullptr) return c.set(0, DataType::kInt64, Shape{rank, kUnknownDim});
  const Indices strides = strides_of(*shape);
  std::vector<Indices> rows(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < nonzero->size(); ++i) {
    if (!(*nonzero)[i]) continue;
    if (shape->empty()) rows[0].push_back(0);
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      rows[axis].push_back(static_cast<std::int64_t>(i) / strides[axis] % (*shape)[axis]);
    }
  }
  const auto count = static_cast<std::int64_t>(rows[0].size());
  c.set(0, DataType::kInt64, Shape{rank, count});
  Constant content;
  for (const Indices& row : rows) content.ints.insert(content.ints.end(), row.begin(), row.end());
  c.set_content(0, std::move(content));
}

void compress(InferContext& c) {
  const Shape* shape = c.shape(0);
  const auto chosen = truth(c, 1);
  const std::int64_t count =
      chosen ? std::count(chosen->begin(), chosen->end(), true) : kUnknownDim;
  if (c.node().find("axis") == nullptr) return c.set(0, c.dtype(0), Shape{count});
  if (shape == nullptr) return c.set(0, c.dtype(0));
  Shape out = *shape;
  out[c.axis(c.node().integer("axis", 0), shape->size())] = count;
  c.set(0, c.dtype(0), std::move(out));
}

// Number of different rows along `axis` of a known content.
template <typename T>
std::int64_t count_distinct(const std::vector<T>& values, std::int64_t outer, std::int64_t extent,
                            std::int64_t inner) {
  std::set<std::vector<T>> distinct;
  for (std::int64_t k = 0; k < extent; ++k) {
    std::vector<T> row;
    for (std::int64_t o = 0; o < outer; ++o) {
      const auto begin = values.begin() + (o * extent + k) * inner;
      row.insert(row.end(), begin, begin + inner);
    }
    distinct.insert(std::move(row));
  }
  return static_cast<std::int64_t>(distinct.size());
}

void unique(InferContext& c) {
  const Shape* shape = c.shape(0);
  const bool flat = c.node().find("axis") == nullptr;
  std::size_t axis = 0;
  if (!flat && shape != nullptr) axis = c.axis(c.node().integer("axis", 0), shape->size());
  std::int64_t count = kUnknownDim;
  const auto elements = c.input(0).element_count();
  if (shape != nullptr && elements && *elements > 0) {
    const std::int64_t outer = flat ? 1 : product(*shape, 0, axis);
    const std::int64_t extent = flat ? *elements : (*shape)[axis];
    const std::int64_t inner = flat ? 1 : product(*shape, axis + 1, shape->size());
    if (const auto* ints = c.known_ints(0)) count = count_distinct(*ints, outer, extent, inner);
    if (const auto* reals = c.known_reals(0)) count = count_distinct(*reals, outer, extent, inner);
  }
  std::optional<Shape> values = Shape{count};
  if (!flat) {
    values = c.input(0).shape;
    if (values) (*values)[axis] = count;
  }
  std::int64_t inverse = flat ? elements.value_or(kUnknownDim) : kUnknownDim;
  if (!flat && shape != nullptr) inverse = (*shape)[axis];
  c.set(0, c.dtype(0), std::move(values));
  c.set(1, DataType::kInt64, Shape{count});
  c.set(2, DataType::kInt64, Shape{inverse});
  c.set(3, DataType::kInt64, Shape{count});
}

constexpr OpEntry kIndexOps[] = {
    {.name = "Gather", .shape = gather, .fold = fold_gather},
    {.name = "GatherElements", .shape = gather_elements, .fold = fold_gather_elements},
    {.name = "GatherND", .shape = gather_nd},
    {.name = "Scatter", .shape = same_as_input},
    {.name = "ScatterElements", .shape = same_as_input},
    {.name = "ScatterND", .shape = same_as_input, .fold = fold_scatter_nd},
    {.name = "TensorScatter", .shape = same_as_input},
    {.name = "OneHot", .shape = one_hot},
    {.name = "NonZero", .shape = non_zero},
    {.name = "Compress", .shape = compress},
    {.name = "Unique", .shape = unique},
};

}  // namespace

std::span<const OpEntry> index_ops() {
  return kIndexOps;
}

}  // namespace ridgewatt::workload
