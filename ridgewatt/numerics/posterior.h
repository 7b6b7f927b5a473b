// Uncertainty of the parameters of a least-squares fit: standard deviations and correlations, and
// the variance of a quantity that depends on the parameters.
//   const Posterior known = posterior(jacobian, "power");
//   const double variance = variance_along(slopes, known.deviations, known.correlations);
//
// Gauss-Newton approximation: the residuals are linearized at the minimum. If residuals are in
// units of their standard deviation, the covariance of the parameters is the inverse of J^T J.
// Priors are additional rows of J. A deviation has the unit of its parameter; for a logarithm it is
// a relative deviation.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt {

struct Posterior {
  std::vector<double> deviations;
  std::vector<double> correlations;  // a symmetric matrix, row by row, with diagonal 1
  double correlation(std::size_t i, std::size_t j) const {
    return correlations[i * deviations.size() + j];
  }
};

// Throws Error that names `where` if J^T J is not positive definite, that is, if the residuals do
// not determine some parameter.
Posterior posterior(const Eigen::MatrixXd& jacobian, const std::string& where = "");

// Variance of a quantity that changes by slopes[i] per unit of parameter i. Empty `correlations`:
// the parameters are independent.
double variance_along(std::span<const double> slopes, std::span<const double> deviations,
                      std::span<const double> correlations);

// Soft L1 loss as a residual: its square is rho(s^2) = 2 (sqrt(1 + s^2) - 1) for the scaled error
// s. The residual has the sign of s. The loss is not a setting of the solver, because each row may
// have a different loss.
double soft_l1(double scaled);

}  // namespace ridgewatt
