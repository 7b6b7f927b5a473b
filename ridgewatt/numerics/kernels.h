// The covariance kernel of all Gaussian processes in this project: Matern with smoothness 5/2
// (Rasmussen and Williams 2006, 4.17). It is twice differentiable, which suits times and powers as
// functions of clocks.
#pragma once

#include <cmath>

namespace ridgewatt {

// Correlation at `r`, the distance divided by the length, times sqrt(5).
inline double matern52_at(double r) {
  return (1 + r + r * r / 3) * std::exp(-r);
}
// Correlation at a distance in units of the length.
inline double matern52(double distance) {
  return matern52_at(std::sqrt(5.0) * distance);
}
// The same for an Eigen array, but only the polynomial: multiply by exp(-r), which the caller also
// needs for the derivative. Returns an expression: `r` must outlive it.
template <class Array>
auto matern52_polynomial(const Array& r) {
  return 1 + r + r.square() / 3;
}

}  // namespace ridgewatt
