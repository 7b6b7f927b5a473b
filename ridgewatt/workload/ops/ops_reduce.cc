// Reductions along axes.
#include <algorithm>
#include <cmath>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// Returns which axes are reduced, or nothing if this is unknown.
std::optional<std::vector<bool>> reduced_axes(const InferContext& c, std::size_t rank) {
  const auto* axes = c.node().integers("axes");
  if (axes == nullptr && c.has_input(1)) {
    axes = c.known_ints(1);
    if (axes == nullptr) {
      const Shape* length = c.shape(1);
      if (length == nullptr || length->size() != 1 || (*length)[0] != 0) return std::nullopt;
    }
  }
  std::vector<bool> reduced(rank, false);
  if (axes == nullptr || axes->empty()) {
    if (c.node().integer("noop_with_empty_axes", 0) == 0) reduced.assign(rank, true);
    return reduced;
  }
  for (const std::int64_t axis : *axes) reduced[c.axis(axis, rank)] = true;
  return reduced;
}

void reduce(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  const bool keep = c.node().integer("keepdims", 1) != 0;
  const auto reduced = reduced_axes(c, shape->size());
  std::optional<Shape> out;
  if (reduced) {
    out.emplace();
    for (std::size_t i = 0; i < shape->size(); ++i) {
      if (!(*reduced)[i]) {
        out->push_back((*shape)[i]);
      } else if (keep) {
        out->push_back(1);
      }
    }
  } else if (keep) {
    out.emplace(shape->size(), kUnknownDim);
  } else if (const Shape* length = c.shape(1);
             length != nullptr && length->size() == 1 && (*length)[0] > 0 &&
             (*length)[0] <= static_cast<std::int64_t>(shape->size())) {
    out.emplace(shape->size() - static_cast<std::size_t>((*length)[0]), kUnknownDim);
  }
  c.set(0, c.dtype(0), std::move(out));
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t product_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t larger(std::int64_t a, std::int64_t b) {
  return std::max(a, b);
}
std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return std::min(a, b);
}

// Folds integer contents, with which exporters compute sizes.
template <std::int64_t (*combine)(std::int64_t, std::int64_t)>
void fold_reduce(InferContext& c) {
  const auto* values = c.ints(0);
  const std::int64_t count = c.foldable(0);
  if (values == nullptr || values->empty() || count < 1 || !c.input(0).has_static_shape()) return;
  const Shape& shape = *c.shape(0);
  const auto reduced = reduced_axes(c, shape.size());
  if (!reduced) return;
  std::vector<std::int64_t> result(static_cast<std::size_t>(count), 0);
  std::vector<bool> begun(result.size(), false);
  Shape position(shape.size(), 0);
  for (const std::int64_t value : *values) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (!(*reduced)[i])
        at = at * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(position[i]);
    }
    if (at >= result.size()) return;
    std::int64_t& sum = result[at];
    if (!begun[at]) {
      sum = value;
    } else {
      sum = sum == kUnknownInt || value == kUnknownInt ? kUnknownInt : combine(sum, value);
    }
    begun[at] = true;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
  c.set_content(0, {std::move(result), {}, {}});
}

void arg_reduce(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, DataType::kInt64);
  const std::size_t axis = c.axis(c.node().integer("axis", 0), shape->size());
  Shape out = *shape;
  if (c.node().integer("keepdims", 1) != 0) {
    out[axis] = 1;
  } else {
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  c.set(0, DataType::kInt64, std::move(out));
}

void top_k(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape) {
    const std::size_t axis = c.axis(c.node().integer("axis", -1), shape->size());
    std::optional<std::int64_t> k = c.known_int(1);
    if (c.node().find("k") != nullptr) k = c.node().integer("k", 0);
    if (k && *k < 0) c.fail("k is negative");
    (*shape)[axis] = k.value_or(kUnknownDim);
  }
  c.set(0, c.dtype(0), shape);
  c.set(1, DataType::kInt64, shape);
}

constexpr OpEntry kReduceOps[] = {
    {.name = "ReduceSum", .shape = reduce, .fold = fold_reduce<sum_of>},
    {.name = "ReduceProd", .shape = reduce, .fold = fold_reduce<product_of>},
    {.name = "ReduceMax", .shape = reduce, .fold = fold_reduce<larger>},
    {.name = "ReduceMin", .shape = reduce, .fold = fold_reduce<smaller>},
    {.name = "ReduceMean", .shape = reduce},
    {.name = "ReduceL1", .shape = reduce},
    {.name = "ReduceL2", .shape = reduce},
    {.name = "ReduceLogSum", .shape = reduce},
    {.name = "ReduceLogSumExp", .shape = reduce},
    {.name = "ReduceSumSquare", .shape = reduce},
    {.name = "ArgMax", .shape = arg_reduce},
    {.name = "ArgMin", .shape = arg_reduce},
    {.name = "TopK", .shape = top_k},
    {.name = "CumSum", .shape = same_as_input},
    {.name = "CumProd", .shape = same_as_input},
};

}  // namespace

std::span<const OpEntry> reduce_ops() {
  return kReduceOps;
}

}  // namespace ridgewatt::workload
