// Operators that work element by element, with numpy's broadcasting where they take several inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/elementwise_scalars.h"

namespace ridgewatt {
namespace {

using namespace scalar;  // NOLINT(google-build-using-namespace): a table of them follows

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Calls use(flat index in the output, flat index in a, flat index in b) over a broadcast.
template <typename Use>
void for_each_pair(const Shape& out, const Shape& a, const Shape& b, Use use) {
  const auto strides = [&](const Shape& shape) {
    std::vector<std::int64_t> padded(out.size(), 0);
    const std::vector<std::int64_t> own = strides_of(shape);
    const std::size_t shift = out.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) padded[shift + i] = shape[i] == 1 ? 0 : own[i];
    return padded;
  };
  const auto stride_a = strides(a);
  const auto stride_b = strides(b);
  std::vector<std::int64_t> position(out.size(), 0);
  const std::int64_t count = product(out, 0, out.size());
  std::int64_t at_a = 0;
  std::int64_t at_b = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    use(i, static_cast<std::size_t>(at_a), static_cast<std::size_t>(at_b));
    for (std::size_t axis = out.size(); axis-- > 0;) {
      at_a += stride_a[axis];
      at_b += stride_b[axis];
      if (++position[axis] < out[axis]) break;
      at_a -= stride_a[axis] * out[axis];
      at_b -= stride_b[axis] * out[axis];
      position[axis] = 0;
    }
  }
}

using IntPair = std::int64_t (*)(std::int64_t, std::int64_t);
using RealPair = double (*)(double, double);

// Both contents with their static shapes, or false.
bool have_pair(const InferContext& c, std::size_t first, std::size_t second) {
  return c.constant(first) != nullptr && c.constant(second) != nullptr &&
         c.constant(first)->strings.empty() && c.constant(second)->strings.empty() &&
         c.input(first).has_static_shape() && c.input(second).has_static_shape();
}

template <IntPair ints, RealPair reals>
void fold_pair(InferContext& c) {
  const std::int64_t count = c.foldable(0);
  if (count < 0 || !have_pair(c, 0, 1)) return;
  const Constant& a = *c.constant(0);
  const Constant& b = *c.constant(1);
  const Shape& out = *c.output(0).shape;
  Constant result;
  if (a.floats.empty() && b.floats.empty()) {
    const DataType type = c.output(0).dtype;
    for_each_pair(out, *c.shape(0), *c.shape(1), [&](std::int64_t, std::size_t i, std::size_t j) {
      const bool known = a.ints[i] != kUnknownInt && b.ints[j] != kUnknownInt;
      result.ints.push_back(known ? narrow(ints(a.ints[i], b.ints[j]), type) : kUnknownInt);
    });
  } else if (a.ints.empty() && b.ints.empty()) {
    const bool is_bool = c.output(0).dtype == DataType::kBool;
    for_each_pair(out, *c.shape(0), *c.shape(1), [&](std::int64_t, std::size_t i, std::size_t j) {
      const bool known = !std::isnan(a.floats[i]) && !std::isnan(b.floats[j]);
      const double value = known ? reals(a.floats[i], b.floats[j]) : kNan;
      if (is_bool) {
        result.ints.push_back(known ? static_cast<std::int64_t>(value != 0) : kUnknownInt);
      } else {
        result.floats.push_back(value);
      }
    });
  }
  c.set_content(0, std::move(result));
}

// Binary operators. Before opset 7 the second input was fitted to the first.
void arithmetic(InferContext& c) {
  if (c.node().domain.empty() && c.opset() < 7) return same_as_input(c);
  c.set(0, c.dtype(0), broadcast(c, c.shape(0), c.shape(1)));
}
void comparison(InferContext& c) {
  if (c.node().domain.empty() && c.opset() < 7) return same_as_input_bool(c);
  c.set(0, DataType::kBool, broadcast(c, c.shape(0), c.shape(1)));
}

template <IntPair ints, RealPair reals>
void fold_all(InferContext& c) {
  if (c.input_count() == 1) fold_same_content(c);
  if (c.input_count() == 2) fold_pair<ints, reals>(c);
}

using RealMap = double (*)(double);
template <RealMap map>
void fold_map(InferContext& c) {
  const Constant* content = c.constant(0);
  if (content == nullptr || !content->ints.empty() || c.foldable(0) < 0) return;
  Constant result;
  for (const double value : content->floats) {
    result.floats.push_back(std::isnan(value) ? kNan : map(value));
  }
  c.set_content(0, std::move(result));
}

using IntMap = std::int64_t (*)(std::int64_t);
template <IntMap map, RealMap real_map>
void fold_number(InferContext& c) {
  const auto* values = c.ints(0);
  if (values == nullptr) return fold_map<real_map>(c);
  if (c.foldable(0) < 0) return;
  Constant result;
  for (const std::int64_t value : *values) {
    result.ints.push_back(value == kUnknownInt ? kUnknownInt : narrow(map(value), c.dtype(0)));
  }
  c.set_content(0, std::move(result));
}
std::optional<DataType> type_attribute(const InferContext& c, std::string_view name) {
  const std::int64_t number = c.node().integer(name, -1);
  const auto type = data_type_from_number(number);
  if (!type) c.fail("unknown element type " + std::to_string(number));
  return type;
}

void cast(InferContext& c) {
  c.set(0, *type_attribute(c, "to"), c.input(0).shape);
}
void cast_like(InferContext& c) {
  c.set(0, c.dtype(1), c.input(0).shape);
}

void fold_cast(InferContext& c) {
  const Constant* content = c.constant(0);
  if (content == nullptr || c.foldable(0) < 0 || !content->strings.empty()) return;
  const DataType to = c.output(0).dtype;
  Constant result;
  for (const std::int64_t value : content->ints) {
    const bool known = value != kUnknownInt;
    if (is_floating(to)) {
      result.floats.push_back(known ? static_cast<double>(value) : kNan);
    } else if (to == DataType::kBool) {
      result.ints.push_back(known ? static_cast<std::int64_t>(value != 0) : kUnknownInt);
    } else if (is_integer(to)) {
      result.ints.push_back(narrow(value, to));
    }
  }
  for (const double value : content->floats) {
    const bool fits = std::abs(value) < 0x1p62;  // false for NaN
    if (is_floating(to)) {
      result.floats.push_back(value);
    } else if (to == DataType::kBool) {
      result.ints.push_back(std::isnan(value) ? kUnknownInt
                                              : static_cast<std::int64_t>(value != 0));
    } else if (is_integer(to)) {
      result.ints.push_back(fits ? narrow(static_cast<std::int64_t>(value), to) : kUnknownInt);
    }
  }
  c.set_content(0, std::move(result));
}

// The bits keep their place: the last axis grows or shrinks when the widths differ.
void bit_cast_rule(InferContext& c) {
  const DataType to = *type_attribute(c, "to");
  std::optional<Shape> shape = c.input(0).shape;
  const int from_bits = data_type_bits(c.dtype(0));
  const int to_bits = data_type_bits(to);
  if (from_bits != to_bits) {
    if (from_bits == 0 || to_bits == 0 || !shape || shape->empty()) {
      shape.reset();
    } else if (shape->back() != kUnknownDim) {
      shape->back() = multiply_extents(shape->back(), from_bits) / to_bits;
    }
  }
  c.set(0, to, std::move(shape));
}

void where(InferContext& c) {
  auto shape = broadcast(c, c.shape(1), c.shape(2));
  shape = broadcast(c, c.shape(0), shape ? &*shape : nullptr);
  c.set(0, c.dtype(1), std::move(shape));
}

void fold_where(InferContext& c) {
  const std::int64_t count = c.foldable(0);
  if (count < 0 || !have_pair(c, 1, 2) || !have_pair(c, 0, 1)) return;
  const Shape& out = *c.output(0).shape;
  const auto* condition = c.ints(0);
  if (condition == nullptr) return;
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(count), kUnknownInt);
  for_each_pair(out, *c.shape(0), out, [&](std::int64_t i, std::size_t at, std::size_t) {
    chosen[static_cast<std::size_t>(i)] = (*condition)[at];
  });
  const Constant& a = *c.constant(1);
  const Constant& b = *c.constant(2);
  if (!a.strings.empty() || !b.strings.empty() || a.floats.empty() != b.floats.empty()) return;
  Constant result;
  for_each_pair(out, *c.shape(1), *c.shape(2), [&](std::int64_t i, std::size_t x, std::size_t y) {
    const std::int64_t which = chosen[static_cast<std::size_t>(i)];
    if (!a.floats.empty()) {
      result.floats.push_back(which == kUnknownInt ? kNan : which != 0 ? a.floats[x] : b.floats[y]);
    } else if (which == kUnknownInt) {
      result.ints.push_back(a.ints[x] == b.ints[y] ? a.ints[x] : kUnknownInt);
    } else {
      result.ints.push_back(which != 0 ? a.ints[x] : b.ints[y]);
    }
  });
  c.set_content(0, std::move(result));
}

void dropout(InferContext& c) {
  same_as_input(c);
  c.set(1, c.opset() < 10 ? c.dtype(0) : DataType::kBool, c.input(0).shape);
}

void clip(InferContext& c) {
  same_as_input(c);
}
void fold_clip(InferContext& c) {
  const auto* values = c.ints(0);
  const auto low = c.known_int(1);
  const auto high = c.known_int(2);
  if (values == nullptr || c.foldable(0) < 0) return;
  if ((c.has_input(1) && !low) || (c.has_input(2) && !high)) return;
  Constant result;
  for (std::int64_t value : *values) {
    if (value != kUnknownInt) {
      if (low) value = std::max(value, *low);
      if (high) value = std::min(value, *high);
    }
    result.ints.push_back(value);
  }
  c.set_content(0, std::move(result));
}

#define RIDGEWATT_UNARY(op) \
  { .name = op, .shape = same_as_input }
#define RIDGEWATT_UNARY_FOLD(op, ...) \
  { .name = op, .shape = same_as_input, .fold = __VA_ARGS__ }
#define RIDGEWATT_BINARY(op, ints, reals) \
  { .name = op, .shape = arithmetic, .fold = fold_pair<ints, reals> }
#define RIDGEWATT_COMPARISON(op, relation) \
  { .name = op, .shape = comparison, .fold = fold_pair<relation<std::int64_t>, relation<double>> }

constexpr OpEntry kElementwiseOps[] = {
    RIDGEWATT_UNARY_FOLD("Abs", fold_number<abs_i, abs_r>),
    RIDGEWATT_UNARY("Acos"),
    RIDGEWATT_UNARY("Acosh"),
    RIDGEWATT_UNARY("Asin"),
    RIDGEWATT_UNARY("Asinh"),
    RIDGEWATT_UNARY("Atan"),
    RIDGEWATT_UNARY("Atanh"),
    RIDGEWATT_UNARY_FOLD("BitwiseNot", fold_number<bit_not, neg_r>),
    RIDGEWATT_UNARY_FOLD("Ceil", fold_map<ceil_r>),
    RIDGEWATT_UNARY("Celu"),
    {.name = "Clip", .shape = clip, .fold = fold_clip},
    RIDGEWATT_UNARY("Cos"),
    RIDGEWATT_UNARY("Cosh"),
    {.name = "Dropout", .shape = dropout, .fold = fold_same_content},
    RIDGEWATT_UNARY("Elu"),
    RIDGEWATT_UNARY("Erf"),
    RIDGEWATT_UNARY_FOLD("Exp", fold_map<exp_r>),
    RIDGEWATT_UNARY_FOLD("Floor", fold_map<floor_r>),
    RIDGEWATT_UNARY("Gelu"),
    RIDGEWATT_UNARY("HardSigmoid"),
    RIDGEWATT_UNARY("HardSwish"),
    RIDGEWATT_UNARY("LeakyRelu"),
    RIDGEWATT_UNARY_FOLD("Log", fold_map<log_r>),
    RIDGEWATT_UNARY("Mish"),
    RIDGEWATT_UNARY_FOLD("Neg", fold_number<neg_i, neg_r>),
    {.name = "Not", .shape = same_as_input_bool, .fold = fold_number<not_i, neg_r>},
    RIDGEWATT_UNARY("PRelu"),
    RIDGEWATT_UNARY_FOLD("Reciprocal", fold_map<reciprocal_r>),
    RIDGEWATT_UNARY_FOLD("Relu", fold_number<relu_i, relu_r>),
    RIDGEWATT_UNARY_FOLD("Round", fold_map<round_r>),
    RIDGEWATT_UNARY("Selu"),
    RIDGEWATT_UNARY("Shrink"),
    RIDGEWATT_UNARY("Sigmoid"),
    RIDGEWATT_UNARY_FOLD("Sign", fold_number<sign_i, sign_r>),
    RIDGEWATT_UNARY("Sin"),
    RIDGEWATT_UNARY("Sinh"),
    RIDGEWATT_UNARY("Softplus"),
    RIDGEWATT_UNARY("Softsign"),
    RIDGEWATT_UNARY_FOLD("Sqrt", fold_map<sqrt_r>),
    RIDGEWATT_UNARY("Swish"),
    RIDGEWATT_UNARY("Tan"),
    RIDGEWATT_UNARY("Tanh"),
    RIDGEWATT_UNARY("ThresholdedRelu"),
    {.name = "IsInf", .shape = same_as_input_bool},
    {.name = "IsNaN", .shape = same_as_input_bool},
    RIDGEWATT_BINARY("Add", add_i, add_r),
    RIDGEWATT_BINARY("Sub", sub_i, sub_r),
    RIDGEWATT_BINARY("Mul", mul_i, mul_r),
    RIDGEWATT_BINARY("Div", div_i, div_r),
    RIDGEWATT_BINARY("Pow", pow_i, pow_r),
    RIDGEWATT_BINARY("Mod", mod_i, mod_r),
    RIDGEWATT_BINARY("BitwiseAnd", bit_and, add_r),
    RIDGEWATT_BINARY("BitwiseOr", bit_or, add_r),
    RIDGEWATT_BINARY("BitwiseXor", bit_xor, add_r),
    {.name = "BitShift", .shape = arithmetic},
    {.name = "SwiGLU", .shape = arithmetic},
    RIDGEWATT_COMPARISON("Equal", equal),
    RIDGEWATT_COMPARISON("Less", less),
    RIDGEWATT_COMPARISON("LessOrEqual", less_equal),
    RIDGEWATT_COMPARISON("Greater", greater),
    RIDGEWATT_COMPARISON("GreaterOrEqual", greater_equal),
    RIDGEWATT_COMPARISON("And", both),
    RIDGEWATT_COMPARISON("Or", either),
    RIDGEWATT_COMPARISON("Xor", exactly_one),
    {.name = "Max", .shape = broadcast_all, .fold = fold_all<max_i, max_r>},
    {.name = "Min", .shape = broadcast_all, .fold = fold_all<min_i, min_r>},
    {.name = "Sum", .shape = broadcast_all, .fold = fold_all<add_i, add_r>},
    {.name = "Mean", .shape = broadcast_all},
    {.name = "Where", .shape = where, .fold = fold_where},
    {.name = "Cast", .shape = cast, .fold = fold_cast},
    {.name = "CastLike", .shape = cast_like, .fold = fold_cast},
    {.name = "BitCast", .shape = bit_cast_rule},
};

}  // namespace

std::span<const OpEntry> elementwise_ops() {
  return kElementwiseOps;
}

}  // namespace ridgewatt
