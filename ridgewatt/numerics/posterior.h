// What a fit by least squares knows of its parameters: how far each may lie off, which of them
// trade against each other, and what both mean for a number that depends on them.
//
//   const Posterior known = posterior(jacobian, "power");
//   const double variance = variance_along(slopes, known.deviations, known.correlations);
//
// Gauss-Newton: near its minimum the sum of squares is that of the linearized residuals, and with
// residuals in units of their own deviation the covariance is the inverse of J^T J. Priors are rows
// of J like the others. Deviations are in the unit of the parameters (of logarithms: factors).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt {

struct Posterior {
  std::vector<double> deviations;
  std::vector<double> correlations;  // square and symmetric, row after row, 1 on the diagonal
  double correlation(std::size_t i, std::size_t j) const {
    return correlations[i * deviations.size() + j];
  }
};

// Error, naming `where`, when J^T J is not positive definite: some parameter is not told of at all.
Posterior posterior(const Eigen::MatrixXd& jacobian, const std::string& where = "");

// Variance of a number that changes by slopes[i] per unit of parameter i. Without correlations the
// parameters are independent.
double variance_along(std::span<const double> slopes, std::span<const double> deviations,
                      std::span<const double> correlations);

// Soft L1 as a residual: its square is rho(s^2) = 2 (sqrt(1 + s^2) - 1) of the scaled error s, its
// sign is kept. A residual and not a loss of the solver, since every row has its own.
double soft_l1(double scaled);

}  // namespace ridgewatt
