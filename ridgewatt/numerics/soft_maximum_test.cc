#include "ridgewatt/numerics/soft_maximum.h"

#include <gtest/gtest.h>

#include "ridgewatt/numerics/kernels.h"

namespace ridgewatt {
namespace {

TEST(SoftMaximum, IsThePNorm) {
  for (const int order : {1, 2, 3, 4, 6}) {
    EXPECT_DOUBLE_EQ(soft_maximum(3, 0, order), 3) << order;
    EXPECT_NEAR(soft_maximum(3, 4, order),
                std::pow(std::pow(3, order) + std::pow(4, order), 1.0 / order), 1e-14)
        << order;
  }
  EXPECT_EQ(soft_maximum(3, 4, 8), 4);
}

TEST(LogSoftMaximum, AgreesWithTheNormAndItsDifferences) {
  const std::array<double, 2> v = {std::log(3.0), std::log(4.0)};
  const LogSoftMaximum<2> at(v, 2);
  EXPECT_NEAR(at.value, std::log(5.0), 1e-14);
  EXPECT_NEAR(at.weight[0], 9.0 / 25, 1e-14);
  constexpr double kStep = 1e-6;
  EXPECT_NEAR(
      at.by_exponent,
      (LogSoftMaximum<2>(v, 2 + kStep).value - LogSoftMaximum<2>(v, 2 - kStep).value) / (2 * kStep),
      1e-9);
}

TEST(LogSoftMaximum, OverflowsForNothing) {
  EXPECT_NEAR(LogSoftMaximum<2>({1000, 1000}, 1).value, 1000 + std::log(2.0), 1e-12);
}

// Rasmussen and Williams 2006, 4.17: (1 + sqrt(5) d + 5 d^2 / 3) exp(-sqrt(5) d).
TEST(Matern, IsTheKernelOfSmoothnessFiveHalves) {
  EXPECT_EQ(matern52(0), 1);
  EXPECT_NEAR(matern52(1), (1 + std::sqrt(5.0) + 5.0 / 3) * std::exp(-std::sqrt(5.0)), 1e-15);
  // Twice differentiable at 0: the slope is 0 and the curvature -5/3.
  EXPECT_NEAR((matern52(1e-4) - 1) / 1e-8, -5.0 / 6, 1e-3);
}

}  // namespace
}  // namespace ridgewatt
