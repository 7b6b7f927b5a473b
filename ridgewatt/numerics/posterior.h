// Uncertainty of the parameters of a least-squares fit: deviations, correlations, and the resulting
// variance of a number that depends on the parameters.
//   const Posterior known = posterior(jacobian, "power");
//   const double variance = variance_along(slopes, known.deviations, known.correlations);
//
// Gauss-Newton approximation: near its minimum the sum of squares is that of the linearized
// residuals. With residuals in units of their deviation, the covariance is the inverse of J^T J.
// Priors are rows of J like all others. Deviations have the unit of the parameters (of logarithms:
// factors).
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

// Throws Error naming `where` if J^T J is not positive definite: the residuals do not determine
// some parameter.
Posterior posterior(const Eigen::MatrixXd& jacobian, const std::string& where = "");

// Variance of a number that changes by slopes[i] per unit of parameter i. Without correlations the
// parameters are taken as independent.
double variance_along(std::span<const double> slopes, std::span<const double> deviations,
                      std::span<const double> correlations);

// Soft L1 as a residual: its square is rho(s^2) = 2 (sqrt(1 + s^2) - 1) for the scaled error s, and
// it keeps the sign. It is a residual and not a loss function of the solver because each row has
// its own.
double soft_l1(double scaled);

}  // namespace ridgewatt
