// The covariance kernel of all Gaussian processes in this project: Matern with smoothness 5/2
// (Rasmussen and Williams 2006, 4.17). It is twice differentiable, which suits time and power as
// functions of clocks.
#pragma once

#include <cmath>

namespace ridgewatt {

// Correlation at `r`, which is sqrt(5) times the distance divided by the length.
inline double matern52_at(double r) {
  return (1 + r + r * r / 3) * std::exp(-r);
}
// Correlation at a distance in units of the length.
inline double matern52(double distance) {
  return matern52_at(std::sqrt(5.0) * distance);
}
// The polynomial factor of matern52_at for an Eigen array. Multiply it by exp(-r), which the caller
// also needs for the derivative. Returns an expression, so `r` must outlive it.
template <class Array>
auto matern52_polynomial(const Array& r) {
  return 1 + r + r.square() / 3;
}

}  // namespace ridgewatt
