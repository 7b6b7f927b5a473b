#include "ridgewatt/numerics/minimize.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/numerics/dense.h"

namespace ridgewatt {

void MinimizeOptions::check() const {
  require_option(max_iterations >= 0, "MinimizeOptions::max_iterations", max_iterations,
                 "0 or more");
  require_option(gradient_tolerance >= 0, "MinimizeOptions::gradient_tolerance", gradient_tolerance,
                 "0 or more");
}

void SquaresOptions::check() const {
  require_option(max_iterations >= 0, "SquaresOptions::max_iterations", max_iterations,
                 "0 or more");
  require_option(gradient_tolerance >= 0, "SquaresOptions::gradient_tolerance", gradient_tolerance,
                 "0 or more");
  require_option(absolute_tolerance >= 0, "SquaresOptions::absolute_tolerance", absolute_tolerance,
                 "0 or more");
  require_option(relative_tolerance >= 0, "SquaresOptions::relative_tolerance", relative_tolerance,
                 "0 or more");
  require_option(first_damping > 0 && std::isfinite(first_damping), "SquaresOptions::first_damping",
                 first_damping, "positive");
}

double minimize_bfgs(
    const std::function<double(const Eigen::VectorXd&, Eigen::VectorXd&)>& function,
    Eigen::VectorXd& x, const MinimizeOptions& options) {
  options.check();
  const Eigen::Index size = x.size();
  Eigen::VectorXd gradient(size), next_gradient(size);
  double value = function(x, gradient);
  Eigen::MatrixXd inverse_hessian = Eigen::MatrixXd::Identity(size, size);
  bool fresh = true;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    if (gradient.lpNorm<Eigen::Infinity>() < options.gradient_tolerance) break;
    Eigen::VectorXd direction = -inverse_hessian * gradient;
    double slope = direction.dot(gradient);
    if (slope >= 0) {
      inverse_hessian.setIdentity();
      direction = -gradient;
      slope = -gradient.squaredNorm();
      fresh = true;
    }
    // The variables are logarithms and parameters of order one, so no step is longer than 1.
    const double longest = direction.lpNorm<Eigen::Infinity>();
    if (longest > 1) direction /= longest, slope /= longest;
    double step = 1, next_value = 0;
    bool found = false;
    for (int halving = 0; halving < 20; ++halving, step /= 2) {
      next_value = function(x + step * direction, next_gradient);
      if (std::isfinite(next_value) && next_value <= value + 1e-4 * step * slope) {
        found = true;
        break;
      }
    }
    if (!found) break;
    const Eigen::VectorXd s = step * direction;
    const Eigen::VectorXd y = next_gradient - gradient;
    const double sy = s.dot(y);
    const double gain = value - next_value;
    x += s;
    value = next_value;
    gradient = next_gradient;
    if (sy > 1e-12) {
      if (fresh) inverse_hessian *= sy / y.squaredNorm(), fresh = false;
      const Eigen::VectorXd hy = inverse_hessian * y;
      inverse_hessian += (1 + y.dot(hy) / sy) / sy * s * s.transpose() -
                         (hy * s.transpose() + s * hy.transpose()) / sy;
    }
    if (gain < 1e-6 * (1 + std::abs(value))) break;
  }
  return value;
}

SquaresReport minimize_squares(const Residuals& residuals, Eigen::VectorXd& x,
                               const SquaresOptions& options) {
  options.check();
  constexpr double kLeastGain = 1e-3;  // share of the expected gain above which a step is accepted
  constexpr double kLeastDamping = 1e-16, kMostDamping = 1e12;
  Eigen::VectorXd r, next_r;
  Eigen::MatrixXd jacobian;
  residuals(x, r, &jacobian);
  SquaresReport report;
  report.first = report.least = r.squaredNorm();
  if (!std::isfinite(report.first))
    throw UsageError("the starting point of the least squares is not finite");
  double damping = options.first_damping, growth = 2;
  while (report.iterations < options.max_iterations && damping <= kMostDamping) {
    Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const Eigen::VectorXd gradient = jacobian.transpose() * r;
    if (gradient.lpNorm<Eigen::Infinity>() < options.gradient_tolerance) {
      report.converged = true;
      break;
    }
    ++report.iterations;
    const Eigen::VectorXd diagonal = normal.diagonal().cwiseMax(1e-12);
    normal.diagonal() += damping * diagonal;
    const Eigen::VectorXd step = -solve_symmetric(normal, gradient);
    const Eigen::VectorXd next = x + step;
    residuals(next, next_r, nullptr);
    const double value = report.least, next_value = next_r.squaredNorm();
    const double expected = step.dot(damping * diagonal.cwiseProduct(step) - gradient);
    const double ratio = (value - next_value) / std::max(expected, 1e-300);
    const double tolerance = options.absolute_tolerance + options.relative_tolerance * value;
    report.converged = std::abs(value - next_value) < tolerance;
    if (report.converged && !options.take_last_step) break;
    if (std::isfinite(next_value) && ratio > kLeastGain) {
      x = next;
      report.least = next_value;
      if (report.converged) break;
      residuals(x, r, &jacobian);
      damping =
          std::max(kLeastDamping, damping * std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3)));
      growth = 2;
    } else {
      if (report.converged) break;
      damping *= growth;
      growth *= 2;
    }
  }
  return report;
}

}  // namespace ridgewatt
