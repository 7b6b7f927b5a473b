#include "ridgewatt/predict/design.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::predict {
namespace {

// A grid of 20 x 20 in two features, denser at high values of the first.
FeatureMatrix skewed_grid() {
  FeatureMatrix x = FeatureMatrix::Zero(400, kFeatures);
  for (Eigen::Index i = 0; i < 400; ++i) {
    x(i, kLogGpu) = std::log((1.0 + std::floor(static_cast<double>(i) / 20)) / 20);
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
  const FeatureMatrix low = x.topRows(60);  // samples exist at the three lowest clocks
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

TEST(PowerBudgets, AreFromLeastToMost) {
  EXPECT_EQ((PowerBudgets{17, 50, 1}.values_w().size()), 34U);
  EXPECT_EQ((PowerBudgets{17, 50, 1}.values_w().back()), 50);
  EXPECT_EQ((PowerBudgets{30, 30, 1}.values_w()), std::vector<double>{30});
  EXPECT_EQ((PowerBudgets{17, 50.6, 1}.values_w().back()), 50);
  EXPECT_EQ((PowerBudgets{1, 2, 0.1}.values_w().size()), 11U);
  const double nan = std::nan("");
  for (const PowerBudgets& wrong :
       {PowerBudgets{0, 50, 1}, PowerBudgets{50, 17, 1}, PowerBudgets{1, 2, 0},
        PowerBudgets{nan, 50, 1}, PowerBudgets{1, nan, 1}, PowerBudgets{1, 1e9, 1}}) {
    EXPECT_THROW(wrong.values_w(), UsageError);
  }
}

// Candidates whose time falls as their power rises. Time and power have deviations of 5 %.
CostBeliefs straight_front(Eigen::Index count) {
  CostBeliefs beliefs;
  beliefs.log_power = Eigen::VectorXd::LinSpaced(count, std::log(10), std::log(50));
  beliefs.log_time = -beliefs.log_power;
  beliefs.time_deviation = beliefs.power_deviation = Eigen::VectorXd::Constant(count, 0.05);
  return beliefs;
}

double power_of(const CostBeliefs& beliefs, std::size_t index) {
  return std::exp(beliefs.log_power[static_cast<Eigen::Index>(index)]);
}

Observation observed(const CostBeliefs& beliefs, std::size_t index, int batch = 0) {
  const double time_s = std::exp(beliefs.log_time[static_cast<Eigen::Index>(index)]);
  return {{{}, batch}, time_s * std::max(batch, 1), power_of(beliefs, index)};
}

TEST(ChooseForBudgets, TakesTheFastestThatIsLikelyToKeepOneBudget) {
  CostBeliefs beliefs = straight_front(40);
  beliefs.time_deviation.setConstant(1e-3), beliefs.power_deviation.setConstant(1e-3);
  for (const double budget_w : {12.0, 20.0, 35.0}) {
    const auto best = choose_for_budgets(beliefs, std::vector{budget_w}, {}, std::vector<bool>(40));
    ASSERT_TRUE(best);
    EXPECT_LE(power_of(beliefs, *best), budget_w * 1.003);
    EXPECT_GT(power_of(beliefs, *best + 1), budget_w * 0.997);
  }
}

TEST(ChooseForBudgets, LeavesWhatIsSlowerAndWhatIsExcluded) {
  CostBeliefs beliefs = straight_front(40);
  beliefs.time_deviation.setConstant(1e-3);
  beliefs.log_time.tail(20).setConstant(0);  // more power, no less time
  std::vector<bool> excluded(40, false);
  excluded[19] = true;
  const std::vector<double> budget = {45};
  EXPECT_EQ(choose_for_budgets(beliefs, budget, std::vector{observed(beliefs, 10)}, excluded), 18U);
  // The best candidate is already measured, at any batch: no improvement is expected.
  for (const int batch : {0, 64}) {
    const std::vector<Observation> known = {observed(beliefs, 19, batch)};
    EXPECT_EQ(choose_for_budgets(beliefs, budget, known, excluded), std::nullopt) << batch;
  }
  EXPECT_EQ(choose_for_budgets(beliefs, budget, {}, std::vector<bool>(40, true)), std::nullopt);
  EXPECT_EQ(choose_for_budgets(beliefs, std::vector<double>{1}, {}, excluded), std::nullopt);
}

}  // namespace
}  // namespace ridgewatt::predict
