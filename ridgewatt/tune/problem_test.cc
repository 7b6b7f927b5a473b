#include "ridgewatt/tune/problem.h"

#include <gtest/gtest.h>

#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {
namespace {

Observation seen(int batch, double time_s, double power_w) {
  return {{{4, 1e9, 1e9, 2e9, ""}, batch}, time_s, power_w};
}

TEST(Goal, ObjectivesArePerSample) {
  Goal goal;
  const Observation row = seen(4, 0.2, 10);  // 2 J per minibatch
  goal.objective = Objective::kTime;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.05);
  goal.objective = Objective::kThroughput;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.05);
  EXPECT_FALSE(needs_power(goal));
  goal.objective = Objective::kEnergy;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.5);
  goal.objective = Objective::kEdp;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.5 * 0.05);
  goal.objective = Objective::kPower;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 10);
  goal.objective = Objective::kCost;
  goal.energy_weight = 2;
  goal.time_weight = 10;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 2 * 0.5 + 10 * 0.05);
  goal.objective = Objective::kLatency;
  goal.rate_hz = 30;  // waits for three requests
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.2 + 3 / 30.0);
}

// 4 requests at 20 per second arrive in 0.2 s, of which the board waits 0.1 s at 3 W.
TEST(Goal, WithARequestRateTheEnergyIncludesIdlePower) {
  Goal goal;
  goal.objective = Objective::kEnergy;
  goal.rate_hz = 20;
  const Observation row = seen(4, 0.1, 10);
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.25);  // the idle power is not known
  goal.idle_power_w = [](const PowerMode&) { return 3; };
  EXPECT_DOUBLE_EQ(objective_value(goal, row), (1 + 0.3) / 4);
  goal.objective = Objective::kEdp;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), (1 + 0.3) / 4 * 0.1 / 4);
  goal.objective = Objective::kTime;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.1 / 4);
  goal.objective = Objective::kEnergy;
  EXPECT_DOUBLE_EQ(objective_value(goal, seen(4, 0.3, 10)), 3.0 / 4);  // never idle
  goal.idle_power_w = [](const PowerMode&) { return 50; };
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 2.0 / 4);  // no more than while it runs
  goal.rate_hz = 0;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 0.25);
}

// If energy was measured, the goal uses it instead of time x power.
TEST(Goal, TheMeasuredEnergyCounts) {
  Goal goal;
  Observation row = seen(4, 0.2, 10);
  row.measured_energy_j = 6;
  goal.objective = Objective::kEnergy;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 1.5);
  goal.objective = Objective::kEdp;
  EXPECT_DOUBLE_EQ(objective_value(goal, row), 1.5 * 0.05);
  goal.limits.energy_j = 5;
  EXPECT_EQ(judge(goal, row).feasibility, Feasibility::kInfeasible);
  EXPECT_EQ(best_feasible(goal, {row, seen(4, 0.4, 10)}), std::optional<std::size_t>(1));
}

TEST(Goal, LimitsArePerMinibatchAndSayWhichBreaks) {
  Goal goal;
  goal.limits.power_w = 10;
  EXPECT_EQ(judge(goal, seen(1, 1, 10)).feasibility, Feasibility::kFeasible);
  const Verdict over = judge(goal, seen(1, 1, 10.5));
  EXPECT_EQ(over.feasibility, Feasibility::kInfeasible);
  EXPECT_EQ(over.limit, LimitKind::kPower);
  EXPECT_NEAR(over.excess, 0.05, 1e-12);
  EXPECT_EQ(explain_miss(goal, seen(1, 1, 10.5)), "power 10.5 W is 5.0 % over the limit of 10 W");
  goal.limits.energy_j = 4;
  EXPECT_EQ(judge(goal, seen(4, 0.5, 9)).limit, LimitKind::kEnergy);
}

TEST(Goal, ServingMustKeepUpWithTheRequests) {
  Goal goal;
  goal.rate_hz = 60;
  EXPECT_EQ(judge(goal, seen(1, 0.016, 10)).feasibility, Feasibility::kFeasible);
  EXPECT_EQ(judge(goal, seen(1, 0.017, 10)).limit, LimitKind::kRate);
  EXPECT_DOUBLE_EQ(bounds_at(goal, 4).time_s, 4 / 60.0);
  goal.limits.latency_s = 0.1;  // 50 ms remain after 3 / 60 s of collecting
  EXPECT_NEAR(bounds_at(goal, 4).time_s, 0.05, 1e-12);
  EXPECT_EQ(judge(goal, seen(4, 0.06, 10)).limit, LimitKind::kLatency);
}

TEST(Goal, SlowdownIsUnknownBeforeItsReference) {
  Goal goal;
  goal.limits.slowdown = 0.05;
  EXPECT_EQ(judge(goal, seen(2, 0.2, 10)).feasibility, Feasibility::kUnknown);
  goal.reference_time_s = 0.1;
  EXPECT_EQ(judge(goal, seen(2, 0.2099, 10)).feasibility, Feasibility::kFeasible);
  EXPECT_EQ(judge(goal, seen(2, 0.2101, 10)).limit, LimitKind::kSlowdown);
}

TEST(Goal, BoundsSayTheSameAsTheVerdict) {
  Goal goal;
  goal.limits = {20, 0.5, 6, 0.7, 0.3};
  goal.rate_hz = 20;
  goal.reference_time_s = 0.05;
  for (const int batch : {1, 2, 8, 16}) {
    const Bounds bounds = bounds_at(goal, batch);
    for (double time_s = 0.01; time_s < 1; time_s += 0.037) {
      for (double power_w = 5; power_w < 30; power_w += 3.1) {
        const bool within = time_s <= bounds.time_s && power_w <= bounds.power_w &&
                            time_s * power_w <= bounds.energy_j;
        EXPECT_EQ(judge(goal, seen(batch, time_s, power_w)).feasibility == Feasibility::kFeasible,
                  within);
      }
    }
  }
}

TEST(Goal, BestAndNearestMiss) {
  Goal goal;
  goal.limits.power_w = 10;
  const std::vector<Observation> rows = {seen(1, 3, 9), seen(1, 2, 9.5), seen(1, 1, 12),
                                         seen(1, 1, 11)};
  EXPECT_EQ(best_feasible(goal, rows), 1u);
  EXPECT_EQ(nearest_miss(goal, rows), 3u);
  goal.limits.power_w = 1;
  EXPECT_FALSE(best_feasible(goal, rows));
}

TEST(Goal, NonsenseIsRefused) {
  EXPECT_THROW(parse_objective("speed"), UsageError);
  EXPECT_EQ(parse_objective("duration"), Objective::kTime);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Goal goal;
    goal.limits.power_w = bad;
    EXPECT_THROW(goal.check(), UsageError);
  }
  Goal goal;
  goal.objective = Objective::kCost;
  goal.energy_weight = goal.time_weight = 0;
  EXPECT_THROW(goal.check(), UsageError);
}

}  // namespace
}  // namespace ridgewatt::tune
