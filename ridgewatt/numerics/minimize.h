// Two optimizers for a few variables, dense and deterministic: BFGS for any smooth function,
// Levenberg-Marquardt for sums of squares.
//
//   const SquaresReport report = minimize_squares(residuals, x, {.max_iterations = 50});
//   if (!report.converged) ...  // `x` is still the best that was found
//
// They are implemented here because a solver library would be the largest dependency of the
// program, for problems with at most fifty unknowns.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace ridgewatt {

struct MinimizeOptions {
  int max_iterations = 40;
  // stop when the largest component of the gradient is below this
  double gradient_tolerance = 1e-3;
  void check() const;  // UsageError, by name
};

// Minimizes `function(x, gradient)` from `x` by BFGS with a backtracking line search (Nocedal and
// Wright, Numerical Optimization, algorithm 6.1). Returns the smallest value; `x` is its place. A
// value that is not finite means that the step was too long.
double minimize_bfgs(
    const std::function<double(const Eigen::VectorXd&, Eigen::VectorXd&)>& function,
    Eigen::VectorXd& x, const MinimizeOptions& options = {});

struct SquaresOptions {
  int max_iterations = 40;  // steps tried
  // stop when the largest component of half the gradient is below this
  double gradient_tolerance = 1e-3;
  // A step that changes the sum of squares S by less than absolute + relative S is the last one.
  double absolute_tolerance = 1e-7;
  double relative_tolerance = 1e-7;
  bool take_last_step = true;  // false: `x` stays where the last step began
  double first_damping = 1e-3;
  void check() const;  // UsageError, by name
};

struct SquaresReport {
  double first = 0;  // sum of squares at the start
  double least = 0;  // and at `x`
  int iterations = 0;
  bool converged = false;  // by a tolerance, not by the number of iterations or the damping
};

// Fills the residuals at a place and, when asked, their Jacobian (one row a residual).
using Residuals =
    std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&, Eigen::MatrixXd* jacobian)>;

// Minimizes |residuals(x)|^2 from `x` by Levenberg-Marquardt. The damping is scaled per variable
// (Marquardt 1963) and adapted by Nielsen's rule (Madsen, Nielsen and Tingleff, Methods for
// Non-Linear Least Squares Problems, 2004, 2.21). A sum that is not finite means that the step was
// too long. Throws UsageError if the sum is not finite at the start.
SquaresReport minimize_squares(const Residuals& residuals, Eigen::VectorXd& x,
                               const SquaresOptions& options = {});

}  // namespace ridgewatt
