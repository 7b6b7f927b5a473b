#include "ridgewatt/numerics/minimize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// Problems and minima are from More, Garbow and Hillstrom, Testing Unconstrained Optimization
// Software (ACM TOMS 7, 1981).
void rosenbrock(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
  r.resize(2);
  r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
  if (jacobian == nullptr) return;
  jacobian->resize(2, 2);
  *jacobian << -20 * x[0], 10, -1, 0;
}

TEST(MinimizeSquares, FindsTheMinimumOfRosenbrocksValley) {
  Eigen::VectorXd x(2);
  x << -1.2, 1;
  const SquaresReport report = minimize_squares(rosenbrock, x, {.max_iterations = 100});
  EXPECT_NEAR(x[0], 1, 1e-4);
  EXPECT_NEAR(x[1], 1, 1e-4);
  EXPECT_NEAR(report.first, 24.2, 1e-9);
  EXPECT_NEAR(report.least, 0, 1e-7);
  EXPECT_TRUE(report.converged);
}

// Freudenstein and Roth: starting at (0.5, -2), the search ends in the local minimum of 48.9842.
TEST(MinimizeSquares, KeepsTheBestOfALocalMinimum) {
  const auto residuals = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    r.resize(2);
    r << -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
    if (j == nullptr) return;
    j->resize(2, 2);
    *j << 1, (10 - 3 * x[1]) * x[1] - 2, 1, (3 * x[1] + 2) * x[1] - 14;
  };
  Eigen::VectorXd x(2);
  x << 0.5, -2;
  EXPECT_NEAR(minimize_squares(residuals, x, {.max_iterations = 200}).least, 48.9842, 1e-3);
  Eigen::VectorXd at;
  residuals(x, at, nullptr);
  EXPECT_NEAR(at.squaredNorm(), 48.9842, 1e-3);
}

TEST(MinimizeSquares, LinearProblemsTakeTheirLeastSquaresSolution) {
  // A line through (0, 1), (1, 3), (2, 4): slope 1.5, intercept 7/6, by the normal equations.
  const auto residuals = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    r.resize(3);
    r << x[0] - 1, x[0] + x[1] - 3, x[0] + 2 * x[1] - 4;
    if (j == nullptr) return;
    j->resize(3, 2);
    *j << 1, 0, 1, 1, 1, 2;
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
  minimize_squares(residuals, x, {.gradient_tolerance = 1e-12});
  EXPECT_NEAR(x[0], 7.0 / 6, 1e-6);
  EXPECT_NEAR(x[1], 1.5, 1e-6);
}

TEST(MinimizeSquares, TheLastStepIsLeftOutWhereThatIsAsked) {
  // With such a large tolerance, the first step is the last one.
  Eigen::VectorXd taken = Eigen::VectorXd::Constant(2, 2), left = taken;
  const SquaresOptions once{.absolute_tolerance = 1e9};
  SquaresOptions not_taken = once;
  not_taken.take_last_step = false;
  EXPECT_LT(minimize_squares(rosenbrock, taken, once).least, 401);
  EXPECT_EQ(minimize_squares(rosenbrock, left, not_taken).least, 401);  // 20^2 + 1^2
  EXPECT_EQ(left, Eigen::VectorXd::Constant(2, 2));
}

TEST(MinimizeSquares, AStartThatIsNotFiniteIsRefused) {
  Eigen::VectorXd x = Eigen::VectorXd::Constant(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(minimize_squares(rosenbrock, x), UsageError);
}

TEST(MinimizeBfgs, FindsTheMinimumOfRosenbrocksValley) {
  Eigen::VectorXd x(2);
  x << -1.2, 1;
  const auto function = [](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
    Eigen::VectorXd r;
    Eigen::MatrixXd jacobian;
    rosenbrock(at, r, &jacobian);
    gradient = 2 * jacobian.transpose() * r;
    return r.squaredNorm();
  };
  EXPECT_NEAR(minimize_bfgs(function, x, {.max_iterations = 200}), 0, 1e-4);
  EXPECT_NEAR(x[0], 1, 1e-2);
}

TEST(MinimizeOptions, DefaultsAreValidAndEachBadOneIsRefusedByName) {
  EXPECT_NO_THROW(MinimizeOptions{}.check());
  EXPECT_NO_THROW(SquaresOptions{}.check());
  const std::pair<SquaresOptions, std::string> bad[] = {
      {{.max_iterations = -1}, "SquaresOptions::max_iterations is -1, but must be 0 or more"},
      {{.gradient_tolerance = -1},
       "SquaresOptions::gradient_tolerance is -1, but must be 0 or more"},
      {{.absolute_tolerance = -2},
       "SquaresOptions::absolute_tolerance is -2, but must be 0 or more"},
      {{.relative_tolerance = -3},
       "SquaresOptions::relative_tolerance is -3, but must be 0 or more"},
      {{.first_damping = 0}, "SquaresOptions::first_damping is 0, but must be positive"},
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
  for (const auto& [options, message] : bad) {
    try {
      minimize_squares(rosenbrock, x, options);
      ADD_FAILURE() << message;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace ridgewatt
