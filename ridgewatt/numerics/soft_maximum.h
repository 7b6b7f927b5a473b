// Soft maximum (a^p + b^p)^(1/p), the duration of two overlapping stages. With p = 1 the stages run
// in sequence; with a large p the longer stage dominates.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ridgewatt {

// For non-negative values. Orders that models use: 1, 2, 3, 4 and 6. Any other order gives the
// maximum.
inline double soft_maximum(double a, double b, int order) {
  switch (order) {
    case 1:
      return a + b;
    case 2:
      return std::sqrt(a * a + b * b);
    case 3:
      return std::cbrt(a * a * a + b * b * b);
    case 4:
      return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b));
    case 6: {
      const double cube_a = a * a * a, cube_b = b * b * b;
      return std::cbrt(std::sqrt(cube_a * cube_a + cube_b * cube_b));
    }
    default:
      return std::max(a, b);
  }
}

// The soft maximum in logarithms, ln of the p-norm of exp(v), with its
// derivatives with respect to v[i] (the shares of the values) and to p. Does not
// overflow.
template <std::size_t N>
struct LogSoftMaximum {
  double value = 0;
  std::array<double, N> weight{};
  double by_exponent = 0;

  LogSoftMaximum(const std::array<double, N>& v, double p) {
    const double top = *std::max_element(v.begin(), v.end());
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) sum += weight[i] = std::exp(p * (v[i] - top));
    value = top + std::log(sum) / p;
    double mean = 0;
    for (std::size_t i = 0; i < N; ++i) {
      weight[i] /= sum;
      mean += weight[i] * v[i];
    }
    by_exponent = (mean - value) / p;
  }
};

}  // namespace ridgewatt
