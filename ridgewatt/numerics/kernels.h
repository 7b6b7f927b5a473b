// The covariance kernel that all Gaussian processes here use, Matern with smoothness 5/2 (Rasmussen
// and Williams 2006, 4.17): twice differentiable, as times and powers over clocks are, not more.
#pragma once

#include <cmath>

namespace ridgewatt {

// Correlation at `r`, the distance over the length times sqrt(5).
inline double matern52_at(double r) {
  return (1 + r + r * r / 3) * std::exp(-r);
}
// Correlation at a distance in lengths.
inline double matern52(double distance) {
  return matern52_at(std::sqrt(5.0) * distance);
}
// The same of an Eigen array: the polynomial alone, to be multiplied by exp(-r), which the caller
// needs for the derivative too. An expression: `r` must outlive it.
template <class Array>
auto matern52_polynomial(const Array& r) {
  return 1 + r + r.square() / 3;
}

}  // namespace ridgewatt
