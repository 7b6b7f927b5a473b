// Element-wise operators on one or two numbers, to evaluate known contents of a graph (mostly
// shapes). Integers wrap as two's complement. kUnknownInt must not be an operand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload::scalar {

// Conversion to two's complement without undefined behavior.
inline std::int64_t wrap(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

// Returns the value as an element of `type` would store it.
inline std::int64_t narrow(std::int64_t value, DataType type) {
  const int bits = data_type_bits(type);
  if (value == kUnknownInt || !is_integer(type) || bits >= 64) return value;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
  if (is_signed_integer(type) && ((low >> (bits - 1)) & 1) != 0) low |= ~mask;
  return wrap(low);
}

// Operators on two integers.
inline std::int64_t add_i(std::int64_t a, std::int64_t b) {
  return wrap(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t sub_i(std::int64_t a, std::int64_t b) {
  return wrap(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t mul_i(std::int64_t a, std::int64_t b) {
  return wrap(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
// Rounds toward zero, like the integer Div of runtimes. Division by 0 gives kUnknownInt.
inline std::int64_t div_i(std::int64_t a, std::int64_t b) {
  return b == 0 ? kUnknownInt : a / b;
}
// The result has the sign of the divisor, as in numpy.
inline std::int64_t mod_i(std::int64_t a, std::int64_t b) {
  if (b == 0) return kUnknownInt;
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline std::int64_t pow_i(std::int64_t a, std::int64_t b) {
  const double value = std::pow(static_cast<double>(a), static_cast<double>(b));
  return std::abs(value) < 0x1p53 ? static_cast<std::int64_t>(value) : kUnknownInt;
}

// Operators on two numbers of either type. `Operator`: such as std::plus<>.
template <class Operator, class T>
T apply(T a, T b) {
  return static_cast<T>(Operator{}(a, b));
}
struct ExactlyOne {
  template <class T>
  bool operator()(T a, T b) const {
    return (a != 0) != (b != 0);
  }
};
template <class T>
T larger(T a, T b) {
  return std::max(a, b);
}
template <class T>
T smaller(T a, T b) {
  return std::min(a, b);
}

// Operators on one number of either type.
template <class T>
T negative(T x) {
  return -x;
}
template <class T>
T relu(T x) {
  return std::max(x, T{});
}
template <class T>
T sign(T x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

}  // namespace ridgewatt::workload::scalar
