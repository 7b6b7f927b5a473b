#include "ridgewatt/tune/limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ridgewatt/base/text.h"

namespace ridgewatt::tune {
namespace {

using ::testing::ElementsAre;

OperatingPoint point_of(int batch, int cores = 4) {
  return {{cores, 1e9, 1e9, 2e9, ""}, batch};
}

predict::Prediction exact(double time_s, double power_w) {
  return {{time_s, time_s, time_s},
          {power_w, power_w, power_w},
          {time_s * power_w, time_s * power_w, time_s * power_w}};
}

Goal served(double rate_hz, double power_w) {
  Goal goal;
  goal.objective = Objective::kLatency;
  goal.rate_hz = rate_hz;
  goal.limits.power_w = power_w;
  return goal;
}

TEST(Limits, EveryBrokenOneIsNamedTheWorstFirst) {
  // 40 ms for one request at 30 per second (33.33 ms) is 20 % over; 10.5 W instead of 10 W is 5 %
  // over.
  const std::string text = explain_miss(served(30, 10), {point_of(1), 0.040, 10.5});
  EXPECT_EQ(
      text,
      "time between batches 40 ms is 20.0 % over the limit of 33.33 ms; power 10.5 W is 5.0 % "
      "over the limit of 10 W");
}

TEST(Limits, ConfidenceIsOfTheEstimatesInterval) {
  Goal goal = served(30, 10);
  goal.limits.latency_s = 0.090;
  // A 90 % interval ends at the 95 % quantile.
  predict::Prediction cost = exact(0.05, 10);
  cost.power_w = {10, 8, 12.5};
  cost.time_s = {0.05, 0.04, 0.0625};
  const auto limits = limit_confidence(goal, point_of(2), cost);
  ASSERT_EQ(limits.size(), 3u);
  EXPECT_EQ(limits[0].kind, LimitKind::kPower);
  EXPECT_NEAR(limits[0].probability, 0.5, 1e-9);  // the mean is at the limit
  // 90 ms minus 1/30 s to collect the batch is 56.7 ms; ln(56.7 / 50) over ln(1.25) / 1.645 is
  // 0.923.
  EXPECT_EQ(limits[1].kind, LimitKind::kLatency);
  EXPECT_NEAR(limits[1].probability, 0.822, 1e-3);
  EXPECT_EQ(limits[2].kind, LimitKind::kRate);
  EXPECT_GT(limits[2].probability, 0.95);  // 66.7 ms is beyond the interval's end
  EXPECT_TRUE(limit_confidence(goal, point_of(2), exact(0.05, 10)).empty());
}

// The module's limit of 35 W cuts the interval, so the interval's end does not determine the scale.
// No value is above the limit.
TEST(Limits, ConfidenceKnowsAnEndThatIsCut) {
  predict::Prediction cost = exact(0.05, 30);
  cost.power_w = {30, 24, 35, 0, 0.2};
  Goal goal = served(10, 33);
  EXPECT_NEAR(limit_confidence(goal, point_of(2), cost).front().probability, 0.683, 1e-3);
  goal.limits.power_w = 35;
  EXPECT_EQ(limit_confidence(goal, point_of(2), cost).front().probability, 1);
}

TEST(Limits, ASlowdownIsJudgedByTheRatioWhereItIsKnown) {
  Goal goal;
  goal.limits.slowdown = 0.1;
  goal.reference_time_s = 0.01;
  const predict::Prediction cost = {{0.01, 0.005, 0.02}, {10, 10, 10}, {0.1, 0.1, 0.1}};
  // The 90 % interval of the normal ratio ends at 10 % slower, so the limit is met with probability
  // 95 %.
  const predict::Estimate ratio = {0.01, 0.01 / 1.1, 0.011};
  EXPECT_NEAR(limit_confidence(goal, point_of(1), cost, ratio).front().probability, 0.95, 1e-6);
  EXPECT_LT(limit_confidence(goal, point_of(1), cost).front().probability, 0.7);
  const predict::Estimate itself = {0.01, 0.01, 0.01};
  EXPECT_EQ(limit_confidence(goal, point_of(1), cost, itself).front().probability, 1);
}

TEST(Limits, OneRelaxedAloneSuffices) {
  const std::vector<OperatingPoint> points = {point_of(1, 2), point_of(1, 4), point_of(2, 4)};
  const std::vector<predict::Prediction> costs = {exact(0.040, 9.5), exact(0.030, 12.34567),
                                                  exact(0.062, 11)};
  const auto found = relaxations(served(30, 10), points, costs, Caution::kMeans);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, LimitKind::kPower);
  EXPECT_DOUBLE_EQ(found[0].value, 11);
  EXPECT_EQ(found[0].point, 2u);
  EXPECT_EQ(found[1].kind, LimitKind::kRate);
  EXPECT_DOUBLE_EQ(found[1].value, 25);
  EXPECT_EQ(found[1].point, 0u);
  // A proposed limit is rounded up and a proposed rate down, so that the point meets it.
  const auto rounded =
      relaxations(served(30, 10), std::vector{points[1]}, std::vector{costs[1]}, Caution::kMeans);
  ASSERT_EQ(rounded.size(), 1u);
  EXPECT_NEAR(rounded[0].value, 12.35, 1e-9);
}

// The power and energy of a processor are unknown. 2 samples in 62.5 ms are 32 per second.
TEST(Limits, OneOfTimeCanBeRelaxedIfThePowerIsUnknown) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<OperatingPoint> points = {point_of(1), point_of(2)};
  const std::vector<predict::Prediction> costs = {exact(0.040, unknown), exact(0.0625, unknown)};
  Goal goal;
  goal.limits.time_s = 0.010;
  const auto time = relaxations(goal, points, costs, Caution::kMeans);
  ASSERT_EQ(time.size(), 1u);
  EXPECT_EQ(time[0].kind, LimitKind::kTime);
  EXPECT_DOUBLE_EQ(time[0].value, 0.040);
  const auto rate = relaxations(served(60, Limits::kNone), points, costs, Caution::kMeans);
  ASSERT_EQ(rate.size(), 1u);
  EXPECT_EQ(rate[0].kind, LimitKind::kRate);
  EXPECT_DOUBLE_EQ(rate[0].value, 32);
}

// Sensors give values such as 8.600000000000007 W, which 8.6 W does not allow. The point meets the
// limit as it is printed.
TEST(Limits, AProposedLimitIsNeverBelowTheValueByItsLastBits) {
  for (const double power_w : {8.6, 8.600000000000007, 8.599999999999998, 11.999999999999998}) {
    const std::vector<OperatingPoint> points = {point_of(1)};
    const std::vector<predict::Prediction> costs = {exact(0.1, power_w)};
    Goal goal;
    goal.limits.power_w = 3;
    const auto found = relaxations(goal, points, costs, Caution::kMeans);
    ASSERT_EQ(found.size(), 1u) << power_w;
    EXPECT_GE(found[0].value, power_w);
    EXPECT_LT(found[0].value, power_w + 0.002);
    goal.limits.power_w = *parse_double(fmt::format("{:.4g}", found[0].value));
    EXPECT_TRUE(relaxations(goal, points, costs, Caution::kMeans).empty()) << power_w;
  }
}

TEST(Limits, BatchesThatCanMatter) {
  const auto fits = [](int batch) { return batch <= 16; };
  EXPECT_THAT(batches_to_try(served(30, 10), WorkloadKind::kInference, fits),
              ElementsAre(1, 2, 4, 8, 16));
  Goal quick = served(30, 10);
  quick.limits.latency_s = 0.11;  // 4 requests arrive in 100 ms, 8 in 233 ms
  EXPECT_THAT(batches_to_try(quick, WorkloadKind::kInference, fits), ElementsAre(1, 2, 4));
  EXPECT_THAT(batches_to_try(Goal{}, WorkloadKind::kInference, fits), ElementsAre(1));
  Goal thrifty;
  thrifty.objective = Objective::kEnergy;
  EXPECT_THAT(batches_to_try(thrifty, WorkloadKind::kInference, [](int) { return true; }),
              ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
  EXPECT_THAT(batches_to_try(thrifty, WorkloadKind::kTraining, fits), ElementsAre(16));
  Goal busy;
  busy.objective = Objective::kThroughput;
  EXPECT_THAT(batches_to_try(busy, WorkloadKind::kInference, fits), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(batches_to_try(thrifty, WorkloadKind::kInference, [](int) { return false; }),
              ElementsAre(1));
}

}  // namespace
}  // namespace ridgewatt::tune
