// Two small optimisers for a handful of variables, dense and deterministic.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace ridgewatt {

struct MinimizeOptions {
  int max_iterations = 40;
  double gradient_tolerance = 1e-3;  // largest component of the gradient at which to stop
};

// Minimises `function(x, gradient)` from `x` by BFGS with a backtracking line search (Nocedal and
// Wright, Numerical Optimization, algorithm 6.1). Returns the least value; `x` is its place. A
// value that is not finite is a step too far.
double minimize_bfgs(
    const std::function<double(const Eigen::VectorXd&, Eigen::VectorXd&)>& function,
    Eigen::VectorXd& x, const MinimizeOptions& options = {});

// Minimises |residuals(x)|^2 from `x` by Levenberg-Marquardt (Nielsen's damping). The callback
// fills residuals and, when asked, their Jacobian. Returns the sum of squares.
double minimize_squares(const std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&,
                                                 Eigen::MatrixXd*)>& residuals,
                        Eigen::VectorXd& x, const MinimizeOptions& options = {});

}  // namespace ridgewatt
