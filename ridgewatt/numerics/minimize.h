// Two optimizers for a few variables, dense and deterministic: BFGS for smooth functions, and
// Levenberg-Marquardt for sums of squares.
//
//   const SquaresReport report = minimize_squares(residuals, x, {.max_iterations = 50});
//   if (!report.converged) ...  // `x` is the best point that was found
//
// They are implemented here because a solver library would be the largest dependency of the
// program, while problems have at most fifty unknowns.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace ridgewatt {

struct MinimizeOptions {
  int max_iterations = 40;
  // Stop when the largest component of the gradient is below this value.
  double gradient_tolerance = 1e-3;
  void check() const;  // throws UsageError that names the field
};

// Minimizes `function(x, gradient)`, which returns the value and sets the gradient, by BFGS with a
// backtracking line search (Nocedal and Wright, Numerical Optimization, algorithm 6.1). Starts at
// `x` and moves `x` to the minimum; returns the value there. If a value is not finite, a shorter
// step is tried.
double minimize_bfgs(
    const std::function<double(const Eigen::VectorXd&, Eigen::VectorXd&)>& function,
    Eigen::VectorXd& x, const MinimizeOptions& options = {});

struct SquaresOptions {
  int max_iterations = 40;  // attempted steps
  // Stop when the largest component of half the gradient is below this value.
  double gradient_tolerance = 1e-3;
  // Stop after a step that changes the sum of squares S by less than absolute_tolerance +
  // relative_tolerance S.
  double absolute_tolerance = 1e-7;
  double relative_tolerance = 1e-7;
  // False: `x` remains at the point before the step that meets a tolerance.
  bool take_last_step = true;
  double first_damping = 1e-3;
  void check() const;  // throws UsageError that names the field
};

struct SquaresReport {
  double first = 0;  // sum of squares at the start
  double least = 0;  // sum of squares at the final `x`
  int iterations = 0;
  // Whether a tolerance was reached, rather than the limit of iterations or damping.
  bool converged = false;
};

// Computes the residuals at a point and, if `jacobian` is not null, their Jacobian (one row per
// residual).
using Residuals =
    std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&, Eigen::MatrixXd* jacobian)>;

// Minimizes |residuals(x)|^2 by Levenberg-Marquardt; starts at `x` and moves `x` to the minimum.
// The damping is scaled per variable (Marquardt 1963) and adapted by Nielsen's rule (Madsen,
// Nielsen and Tingleff, Methods for Non-Linear Least Squares Problems, 2004, 2.21). If a sum is not
// finite, a shorter step is tried. Throws UsageError if the sum is not finite at the start.
SquaresReport minimize_squares(const Residuals& residuals, Eigen::VectorXd& x,
                               const SquaresOptions& options = {});

}  // namespace ridgewatt
