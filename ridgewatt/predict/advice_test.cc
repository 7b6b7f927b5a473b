#include "ridgewatt/predict/advice.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::predict {
namespace {

const MethodCost& cost_of(const std::vector<MethodCost>& costs, const std::string& name,
                          std::size_t modes) {
  for (const auto& cost : costs) {
    if (cost.method.name == name && cost.method.modes == modes) return cost;
  }
  throw UsageError("no such method", name);
}

TEST(Advice, CostsAreProfilingAndWhatAWorseModeLoses) {
  // 4,368 modes take 40 minibatches of 0.2 s and 2 s for the change of mode each: 43,680 s.
  const auto costs = compare_methods({"job", 3600, 10, 2}, {4368, 0.2, 40, 2});
  const MethodCost& all = cost_of(costs, "every mode", 0);
  EXPECT_DOUBLE_EQ(all.profiling_s, 2 * 43680.0);
  EXPECT_DOUBLE_EQ(all.lost_s, 0);
  const MethodCost& ours = cost_of(costs, "auto", 20);
  EXPECT_NEAR(ours.profiling_s, 2 * 200.0, 2);
  EXPECT_DOUBLE_EQ(ours.lost_s, 36000 * ours.method.penalty);
  // The reference of PowerTrain is profiled once, in every mode.
  EXPECT_NEAR(cost_of(costs, "powertrain", 20).profiling_s, 43680 + 2 * 200.0, 15);
}

// A short job does not pay for profiles: the preset loses (42.7 + 47.8 + 45.6) / 3 = 45 % of it.
TEST(Advice, APresetNeedsNoProfile) {
  const auto costs = compare_methods({"job", 3600, 1, 1}, {4368, 25, 40, 5});
  const MethodCost& preset = cost_of(costs, "preset", 0);
  EXPECT_DOUBLE_EQ(preset.profiling_s, 0);
  EXPECT_NEAR(preset.lost_s, 0.4537 * 3600, 1);
  for (const auto& cost : costs) EXPECT_GE(cost.total_s(), preset.total_s()) << cost.method.name;
}

// Methods whose answers exceed their budget rank last, however fast they are. The other methods
// rank by total time.
TEST(Advice, RanksByViolationsThenByTime) {
  for (const auto& scenario : training_scenarios()) {
    const auto costs = compare_methods(scenario, {4368, 0.25, 40, 5});
    for (std::size_t i = 1; i < costs.size(); ++i) {
      const bool before = costs[i - 1].method.over_budget > 0.05,
                 after = costs[i].method.over_budget > 0.05;
      EXPECT_LE(before, after) << scenario.name;
      EXPECT_TRUE(before != after || costs[i - 1].total_s() <= costs[i].total_s()) << i;
    }
    EXPECT_LE(costs.front().method.over_budget, 0.05) << scenario.name;
  }
}

TEST(Advice, ProfilingEveryModePaysOnlyForVeryLongTrainings) {
  const ProfilingCost profiling = {4368, 0.2, 40, 5};
  EXPECT_EQ(compare_methods({"years", 1e9, 1, 1}, profiling).front().method.name, "every mode");
  EXPECT_NE(compare_methods({"minutes", 600, 1, 1}, profiling).front().method.name, "every mode");
  // A workload that is profiled once and used often justifies more profiles.
  const auto often = compare_methods({"often", 3600, 1000, 1}, profiling);
  const auto many_workloads = compare_methods({"many workloads", 3600, 1000, 1000}, profiling);
  EXPECT_LE(many_workloads.front().profiling_s / 1000, often.front().profiling_s);
}

TEST(Advice, NonsenseIsAnError) {
  EXPECT_THROW(compare_methods({"job", 0, 1, 1}, {4368, 0.2, 40, 2}), UsageError);
  EXPECT_THROW(compare_methods({"job", 10, 1, 1}, {4368, 0, 40, 2}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::predict
