#include "ridgewatt/numerics/posterior.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// J^T J = (2 1; 1 2), whose inverse is (2 -1; -1 2) / 3.
TEST(Posterior, IsTheInverseOfTheNormalMatrix) {
  Eigen::MatrixXd jacobian(3, 2);
  jacobian << 1, 0, 0, 1, 1, 1;
  const Posterior known = posterior(jacobian);
  ASSERT_EQ(known.deviations.size(), 2U);
  EXPECT_NEAR(known.deviations[0], std::sqrt(2.0 / 3), 1e-15);
  EXPECT_NEAR(known.deviations[1], std::sqrt(2.0 / 3), 1e-15);
  EXPECT_EQ(known.correlation(0, 0), 1);
  EXPECT_EQ(known.correlation(1, 1), 1);
  EXPECT_NEAR(known.correlation(0, 1), -0.5, 1e-15);
  EXPECT_NEAR(known.correlation(1, 0), -0.5, 1e-15);
}

// A prior with deviation 0.5 and n rows with deviation 1: 1 / sqrt(4 + n).
TEST(Posterior, NarrowsThePriorByWhatTheRowsTell) {
  for (const int rows : {0, 1, 12}) {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Ones(rows + 1, 1);
    jacobian(rows, 0) = 1 / 0.5;
    EXPECT_NEAR(posterior(jacobian).deviations[0], 1 / std::sqrt(4.0 + rows), 1e-15) << rows;
  }
}

TEST(Posterior, RefusesWhatIsNotPositiveDefinite) {
  Eigen::MatrixXd together = Eigen::MatrixXd::Ones(3, 2);  // only the sum is determined
  EXPECT_THROW(posterior(together), Error);
  Eigen::MatrixXd untold = Eigen::MatrixXd::Zero(3, 2);
  untold(0, 0) = 1;
  try {
    posterior(untold, "power");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("power"), std::string::npos);
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e200, 1e-200}) {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Identity(2, 2);
    jacobian(1, 1) = bad;
    EXPECT_THROW(posterior(jacobian), Error) << bad;
  }
}

// var(a x + b y) = a^2 sx^2 + b^2 sy^2 + 2 a b r sx sy.
TEST(Posterior, VarianceAlongSlopesHeedsCorrelations) {
  const std::array<double, 2> slopes{2, 1}, deviations{0.5, 3};
  const auto variance = [&](double r) {
    return variance_along(slopes, deviations, std::array<double, 4>{1, r, r, 1});
  };
  EXPECT_DOUBLE_EQ(variance_along(slopes, deviations, {}), 10);
  EXPECT_DOUBLE_EQ(variance(0), 10);
  EXPECT_DOUBLE_EQ(variance(0.5), 13);
  EXPECT_DOUBLE_EQ(variance(-1), 4);
  // With full negative correlation, 2 x 0.5 and 1 x 1 cancel: the variance is zero and never
  // negative.
  const std::array<double, 2> even{0.5, 1};
  EXPECT_EQ(variance_along(slopes, even, std::array<double, 4>{1, -1, -1, 1}), 0);
  EXPECT_EQ(variance_along(slopes, even, std::array<double, 4>{1, -1.001, -1.001, 1}), 0);
}

TEST(SoftL1, SquaresToTwoTimesTheRootLessOne) {
  EXPECT_DOUBLE_EQ(soft_l1(std::sqrt(3.0)), std::sqrt(2.0));  // sqrt(1 + 3) - 1 = 1
  EXPECT_DOUBLE_EQ(soft_l1(-std::sqrt(8.0)), -2);             // sqrt(1 + 8) - 1 = 2
  EXPECT_EQ(soft_l1(0), 0);
  EXPECT_NEAR(soft_l1(1e-3), 1e-3, 1e-9);  // a square near zero
}

}  // namespace
}  // namespace ridgewatt
