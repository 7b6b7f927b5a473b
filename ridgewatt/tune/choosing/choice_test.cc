#include "ridgewatt/tune/choice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::tune {
namespace {

predict::Prediction certain(double time_s, double power_w) {
  const auto exact = [](double value) { return predict::Estimate{value, value, value}; };
  return {exact(time_s), exact(power_w), exact(time_s * power_w)};
}

TEST(Choice, TakesTheFastestWithinTheLimit) {
  Goal goal;
  goal.limits.power_w = 10;
  const std::vector<OperatingPoint> points(3);
  const std::vector<predict::Prediction> costs = {certain(3, 9), certain(2, 10), certain(1, 11)};
  EXPECT_EQ(choose(goal, points, costs).best, 1u);
  goal.limits.power_w = 5;
  const Choice none = choose(goal, points, costs);
  EXPECT_FALSE(none.best);
  EXPECT_EQ(none.miss, 0u);
}

TEST(Choice, TheFastestOfThoseThatCannotBeSeparated) {
  Goal goal;
  goal.objective = Objective::kEnergy;
  const std::vector<OperatingPoint> points(3);
  const std::vector<predict::Prediction> costs = {certain(3, 1.0), certain(2, 1.51),
                                                  certain(1, 3.2)};
  EXPECT_EQ(choose(goal, points, costs).best, 0u);
  EXPECT_EQ(choose(goal, points, costs, Caution::kMeans, 0.01).best, 1u);
  EXPECT_EQ(choose(goal, points, costs, Caution::kMeans, 0.1).best, 2u);
  goal.limits.time_s = 1.5;
  goal.limits.power_w = 3;
  EXPECT_FALSE(choose(goal, points, costs, Caution::kMeans, 0.1).best);
}

TEST(Choice, ConfidenceKeepsThePromisedShareOfLimits) {
  // Powers scatter around their predictions. With a confidence of 95 %, one limit in twenty is
  // exceeded.
  Random random(5);
  const double bound = estimate_of(20, {0.1}, 2 * 0.95 - 1).hi;
  int broken = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) broken += 20 * std::exp(0.1 * random.normal()) > bound;
  EXPECT_NEAR(broken / double{kCount}, 0.05, 0.005);

  Goal goal;
  goal.limits.power_w = 20.5;
  const std::vector<OperatingPoint> points(2);
  const std::vector<predict::Prediction> costs = {
      {estimate_of(1, {0.1}), estimate_of(20, {0.1}), estimate_of(20, {0.1})}, certain(2, 17)};
  EXPECT_EQ(choose(goal, points, costs).best, 0u);
  EXPECT_EQ(choose(goal, points, costs, Caution::kUpperEnds).best, 1u);
}

TEST(Choice, IntervalsCoverWhatTheySay) {
  const predict::Estimate value = estimate_of(3, {0.2});
  EXPECT_NEAR(std::log(value.hi / 3), 1.6449 * 0.2, 1e-4);
  EXPECT_NEAR(value.lo * value.hi, 9, 1e-9);
}

TEST(Choice, NonsenseIsRefused) {
  const std::vector<OperatingPoint> points(1);
  EXPECT_THROW(choose({}, points, {}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::tune
