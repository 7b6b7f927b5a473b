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

// Binary operators.
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
inline std::int64_t max_i(std::int64_t a, std::int64_t b) {
  return std::max(a, b);
}
inline std::int64_t min_i(std::int64_t a, std::int64_t b) {
  return std::min(a, b);
}
inline double add_r(double a, double b) {
  return a + b;
}
inline double sub_r(double a, double b) {
  return a - b;
}
inline double mul_r(double a, double b) {
  return a * b;
}
inline double div_r(double a, double b) {
  return a / b;
}
inline double mod_r(double a, double b) {
  return std::fmod(a, b);
}
inline double pow_r(double a, double b) {
  return std::pow(a, b);
}
inline double max_r(double a, double b) {
  return std::max(a, b);
}
inline double min_r(double a, double b) {
  return std::min(a, b);
}
template <typename T>
T equal(T a, T b) {
  return a == b;
}
template <typename T>
T less(T a, T b) {
  return a < b;
}
template <typename T>
T less_equal(T a, T b) {
  return a <= b;
}
template <typename T>
T greater(T a, T b) {
  return a > b;
}
template <typename T>
T greater_equal(T a, T b) {
  return a >= b;
}
template <typename T>
T both(T a, T b) {
  return a != 0 && b != 0;
}
template <typename T>
T either(T a, T b) {
  return a != 0 || b != 0;
}
template <typename T>
T exactly_one(T a, T b) {
  return (a != 0) != (b != 0);
}
inline std::int64_t bit_and(std::int64_t a, std::int64_t b) {
  return a & b;
}
inline std::int64_t bit_or(std::int64_t a, std::int64_t b) {
  return a | b;
}
inline std::int64_t bit_xor(std::int64_t a, std::int64_t b) {
  return a ^ b;
}

// Unary operators.
inline double abs_r(double x) {
  return std::abs(x);
}
inline double ceil_r(double x) {
  return std::ceil(x);
}
inline double floor_r(double x) {
  return std::floor(x);
}
inline double round_r(double x) {
  return std::nearbyint(x);
}  // rounds half to even
inline double sqrt_r(double x) {
  return std::sqrt(x);
}
inline double exp_r(double x) {
  return std::exp(x);
}
inline double log_r(double x) {
  return std::log(x);
}
inline double reciprocal_r(double x) {
  return 1 / x;
}
inline double neg_r(double x) {
  return -x;
}
inline double relu_r(double x) {
  return std::max(x, 0.0);
}
inline double sign_r(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

inline std::int64_t abs_i(std::int64_t x) {
  return x < 0 ? -x : x;
}
inline std::int64_t neg_i(std::int64_t x) {
  return -x;
}
inline std::int64_t relu_i(std::int64_t x) {
  return std::max<std::int64_t>(x, 0);
}
inline std::int64_t sign_i(std::int64_t x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}
inline std::int64_t not_i(std::int64_t x) {
  return x == 0 ? 1 : 0;
}
inline std::int64_t bit_not(std::int64_t x) {
  return ~x;
}

}  // namespace ridgewatt::workload::scalar
