// Element-wise operators, with numpy's broadcasting if they take several inputs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "ridgewatt/workload/infer/broadcast.h"
#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/elementwise_scalars.h"

namespace ridgewatt::workload {
namespace {

using namespace scalar;  // NOLINT(google-build-using-namespace): a table of them follows

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Calls use(flat index in the output, flat index in a, flat index in b) for each element of a
// broadcast. Does nothing if an input cannot be broadcast to the output.
template <typename Use>
void for_each_pair(const Shape& out, const Shape& a, const Shape& b, Use use) {
  if (!broadcasts_to(a, out) || !broadcasts_to(b, out)) return;
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

// Null: there is no rule for this type of number.
using Int = std::int64_t;
using IntPair = Int (*)(Int, Int);
using RealPair = double (*)(double, double);

// True if both inputs have known numeric contents and static shapes.
bool have_pair(const InferContext& c, std::size_t first, std::size_t second) {
  return c.constant(first) != nullptr && c.constant(second) != nullptr &&
         c.constant(first)->strings.empty() && c.constant(second)->strings.empty() &&
         c.input(first).has_static_shape() && c.input(second).has_static_shape();
}

// Whether a rule has this function. Compares types, because with sanitizers GCC does not accept an
// address as a constant.
template <auto function>
constexpr bool kGiven = !std::is_same_v<std::integral_constant<decltype(function), function>,
                                        std::integral_constant<decltype(function), nullptr>>;

// Before opset 7, the second input is broadcast to the first, whose shape is that of the result.
bool fits_second_to_first(const InferContext& c) {
  return c.node().domain.empty() && c.opset() < 7;
}
// As above, but aligned at the attribute "axis" instead of at the end. Numpy's rule has no such
// case.
bool fits_by_axis(const InferContext& c) {
  return fits_second_to_first(c) && c.node().find("axis") != nullptr;
}

void check_second_fits(const InferContext& c) {
  const Shape* a = c.shape(0);
  const Shape* b = c.shape(1);
  if (a == nullptr || b == nullptr) return;
  bool fits = b->size() <= a->size();
  std::size_t first = fits ? a->size() - b->size() : 0;
  if (fits && fits_by_axis(c)) {
    const std::int64_t axis = c.node().integer("axis", 0);
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(*a) : axis);
    fits = at <= first;  // false if the axis is still negative
    first = fits ? at : 0;
  }
  for (std::size_t i = 0; fits && i < b->size(); ++i) {
    const std::int64_t x = (*a)[first + i];
    const std::int64_t y = (*b)[i];
    fits = x == y || y == 1 || x == kUnknownDim || y == kUnknownDim;
  }
  if (fits) return;
  c.fail("shapes " + format_shape(*a) + " and " + format_shape(*b) +
         " cannot be broadcast in opset " + std::to_string(c.opset()) +
         ", which broadcasts only the second input");
}

template <IntPair ints, RealPair reals>
void fold_pair(InferContext& c) {
  if (c.foldable(0) < 0 || !have_pair(c, 0, 1) || fits_by_axis(c)) return;
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
    if constexpr (kGiven<reals>) {
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
  }
  c.set_content(0, std::move(result));
}

std::optional<Shape> pair_shape(const InferContext& c) {
  if (!fits_second_to_first(c)) return broadcast(c, c.shape(0), c.shape(1));
  check_second_fits(c);
  return c.input(0).shape;
}

void arithmetic(InferContext& c) {
  c.set(0, c.dtype(0), pair_shape(c));
}
void comparison(InferContext& c) {
  c.set(0, DataType::kBool, pair_shape(c));
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

using IntMap = Int (*)(Int);
template <IntMap map, RealMap real_map>
void fold_number(InferContext& c) {
  const auto* values = c.ints(0);
  if (values == nullptr) {
    if constexpr (kGiven<real_map>) fold_map<real_map>(c);
    return;
  }
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
  if (!type) c.fail("the node names the unknown element type " + std::to_string(number));
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

// Reinterprets the bits in place. If the widths differ, the last axis grows or shrinks.
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

constexpr OpEntry unary(std::string_view name, OpRule fold = nullptr) {
  return {.name = name, .shape = same_as_input, .fold = fold};
}
template <IntPair ints, RealPair reals>
constexpr OpEntry binary(std::string_view name) {
  return {.name = name, .shape = arithmetic, .fold = fold_pair<ints, reals>};
}
// For integers only.
template <class Operator>
constexpr OpEntry bitwise(std::string_view name) {
  return binary<apply<Operator, Int>, nullptr>(name);
}
template <class Operator>
constexpr OpEntry relation(std::string_view name) {
  return {.name = name,
          .shape = comparison,
          .fold = fold_pair<apply<Operator, Int>, apply<Operator, double>>};
}

constexpr OpEntry kElementwiseOps[] = {
    unary("Abs",
          fold_number<[](Int x) { return x < 0 ? -x : x; }, [](double x) { return std::abs(x); }>),
    unary("Acos"),
    unary("Acosh"),
    unary("Asin"),
    unary("Asinh"),
    unary("Atan"),
    unary("Atanh"),
    unary("BitwiseNot", fold_number<[](Int x) { return ~x; }, nullptr>),
    unary("Ceil", fold_map<[](double x) { return std::ceil(x); }>),
    unary("Celu"),
    {.name = "Clip", .shape = clip, .fold = fold_clip},
    unary("Cos"),
    unary("Cosh"),
    {.name = "Dropout", .shape = dropout, .fold = fold_same_content},
    unary("Elu"),
    unary("Erf"),
    unary("Exp", fold_map<[](double x) { return std::exp(x); }>),
    unary("Floor", fold_map<[](double x) { return std::floor(x); }>),
    unary("Gelu"),
    unary("HardSigmoid"),
    unary("HardSwish"),
    unary("LeakyRelu"),
    unary("Log", fold_map<[](double x) { return std::log(x); }>),
    unary("Mish"),
    unary("Neg", fold_number<negative, negative>),
    {.name = "Not",
     .shape = same_as_input_bool,
     .fold = fold_number<[](Int x) -> Int { return x == 0; }, nullptr>},
    unary("PRelu"),
    unary("Reciprocal", fold_map<[](double x) { return 1 / x; }>),
    unary("Relu", fold_number<relu, relu>),
    unary("Round", fold_map<[](double x) { return std::nearbyint(x); }>),  // half to even
    unary("Selu"),
    unary("Shrink"),
    unary("Sigmoid"),
    unary("Sign", fold_number<sign, sign>),
    unary("Sin"),
    unary("Sinh"),
    unary("Softplus"),
    unary("Softsign"),
    unary("Sqrt", fold_map<[](double x) { return std::sqrt(x); }>),
    unary("Swish"),
    unary("Tan"),
    unary("Tanh"),
    unary("ThresholdedRelu"),
    {.name = "IsInf", .shape = same_as_input_bool},
    {.name = "IsNaN", .shape = same_as_input_bool},
    binary<add_i, apply<std::plus<>>>("Add"),
    binary<sub_i, apply<std::minus<>>>("Sub"),
    binary<mul_i, apply<std::multiplies<>>>("Mul"),
    binary<div_i, apply<std::divides<>>>("Div"),
    binary<pow_i, [](double a, double b) { return std::pow(a, b); }>("Pow"),
    binary<mod_i, [](double a, double b) { return std::fmod(a, b); }>("Mod"),
    bitwise<std::bit_and<>>("BitwiseAnd"),
    bitwise<std::bit_or<>>("BitwiseOr"),
    bitwise<std::bit_xor<>>("BitwiseXor"),
    {.name = "BitShift", .shape = arithmetic},
    {.name = "SwiGLU", .shape = arithmetic},
    relation<std::equal_to<>>("Equal"),
    relation<std::less<>>("Less"),
    relation<std::less_equal<>>("LessOrEqual"),
    relation<std::greater<>>("Greater"),
    relation<std::greater_equal<>>("GreaterOrEqual"),
    relation<std::logical_and<>>("And"),
    relation<std::logical_or<>>("Or"),
    relation<ExactlyOne>("Xor"),
    {.name = "Max", .shape = broadcast_all, .fold = fold_all<larger, larger>},
    {.name = "Min", .shape = broadcast_all, .fold = fold_all<smaller, smaller>},
    {.name = "Sum", .shape = broadcast_all, .fold = fold_all<add_i, apply<std::plus<>>>},
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

}  // namespace ridgewatt::workload
