#include "ridgewatt/predict/design.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgewatt {
namespace {

// A grid of 20 x 20 in two features, dense towards the top of the first.
FeatureMatrix skewed_grid() {
  FeatureMatrix x = FeatureMatrix::Zero(400, kFeatures);
  for (Eigen::Index i = 0; i < 400; ++i) {
    x(i, kLogGpu) = std::log((1.0 + static_cast<double>(i / 20)) / 20);
    x(i, kLogMem) = -static_cast<double>(i % 20) / 10;
  }
  return x;
}

TEST(ChooseSpread, SamplesHaveTheMeanAndSpreadOfTheSpace) {
  const FeatureMatrix x = skewed_grid();
  const auto chosen = choose_spread(
      x, FeatureMatrix(0, kFeatures), Eigen::Matrix<double, 1, kFeatures>::Constant(0.5),
      Eigen::VectorXd::Ones(400), 0, std::vector<bool>(400, false), 30);
  ASSERT_EQ(chosen.size(), 30U);
  for (const auto f : {kLogGpu, kLogMem}) {
    Eigen::ArrayXd own(30);
    for (Eigen::Index i = 0; i < 30; ++i) {
      own[i] = x(static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(i)]), f);
    }
    const Eigen::ArrayXd all = x.col(f).array();
    const double deviation = std::sqrt((all - all.mean()).square().mean());
    EXPECT_NEAR(own.mean(), all.mean(), 0.15 * deviation);
    EXPECT_NEAR(std::sqrt((own - own.mean()).square().mean()), deviation, 0.25 * deviation);
  }
}

TEST(ChooseSpread, FillsWhatTheSamplesLeaveOpenAndNeverWhatIsExcluded) {
  const FeatureMatrix x = skewed_grid();
  std::vector<bool> excluded(400, false);
  for (std::size_t i = 0; i < 400; ++i) excluded[i] = i % 20 < 4;
  const FeatureMatrix low = x.topRows(60);  // the three lowest clocks are known
  const auto chosen = choose_spread(x, low, Eigen::Matrix<double, 1, kFeatures>::Constant(0.5),
                                    Eigen::VectorXd::Ones(400), 0, excluded, 10);
  ASSERT_EQ(chosen.size(), 10U);
  for (const auto index : chosen) {
    EXPECT_GE(index, 60U);
    EXPECT_FALSE(excluded[index]);
  }
}

TEST(ChooseSpread, TakesTheCheaperOfEqualPoints) {
  const FeatureMatrix x = FeatureMatrix::Zero(2, kFeatures);
  const auto chosen = choose_spread(x, FeatureMatrix(0, kFeatures),
                                    Eigen::Matrix<double, 1, kFeatures>::Constant(0.5),
                                    Eigen::Vector2d(2, 1), 0.02, {false, false}, 1);
  EXPECT_EQ(chosen, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace ridgewatt
