#include "ridgewatt/schedule/switch_cost.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/random.h"

namespace ridgewatt::schedule {
namespace {

// Two workers alternate in turns of two minibatches, so every second minibatch follows one of the
// same worker. `a` takes 20 ms, and `extra_s` more after the other worker. One minibatch in twenty
// is delayed by half a second.
std::vector<GrantRecord> turns(std::uint64_t seed, int count, double extra_s, bool disturbed) {
  Random random(seed);
  std::vector<GrantRecord> grants;
  double now_s = 0;
  for (int i = 0; i < count; ++i) {
    const bool is_a = i / 2 % 2 == 0;
    double time_s = (is_a ? 0.02 : 0.01) * (1 + 0.05 * random.normal());
    if (is_a && i % 2 == 0) time_s += extra_s;
    if (disturbed && random.below(20) == 0) time_s += 0.5;
    GrantRecord record;
    record.worker = is_a ? "a" : "b";
    record.granted_s = now_s;
    record.released_s = now_s += time_s;
    record.outcome = "done";
    grants.push_back(record);
  }
  return grants;
}

TEST(SwitchCost, IsFoundWhateverDisturbs) {
  for (const bool disturbed : {false, true}) {
    const auto costs = measure_switch_cost(turns(1, 400, 0.003, disturbed));
    ASSERT_EQ(costs.size(), 2u);
    EXPECT_EQ(costs[0].worker, "a");
    EXPECT_NEAR(costs[0].switch_s, 0.003, 0.0006);
    EXPECT_NEAR(costs[1].switch_s, 0, 0.0004);
    EXPECT_LT(costs[0].lo_s, costs[0].switch_s);
    EXPECT_GT(costs[0].lo_s, 0);
    EXPECT_NEAR(static_cast<double>(costs[0].after_other), 99, 1);
    EXPECT_NEAR(*mean_switch_s(costs), 0.0015, 0.0006);
  }
}

// 95 of 100 intervals contain the truth; three standard deviations of this number are 6.5.
TEST(SwitchCost, TheIntervalHoldsTheTruth) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto costs = measure_switch_cost(turns(seed, 120, 0.003, false));
    held += costs[0].lo_s <= 0.003 && 0.003 <= costs[0].hi_s;
  }
  EXPECT_GE(held, 88);
}

TEST(SwitchCost, SaysNothingOfTooLittle) {
  EXPECT_TRUE(measure_switch_cost({}).empty());
  EXPECT_FALSE(mean_switch_s({}));
  EXPECT_TRUE(measure_switch_cost(turns(1, 20, 0.003, false)).empty());
  // A program that runs alone never follows another.
  auto alone = turns(1, 400, 0, false);
  for (auto& grant : alone) grant.worker = "a";
  EXPECT_TRUE(measure_switch_cost(alone).empty());
  // Minibatches of different sizes are not compared.
  auto sizes = turns(1, 400, 0, false);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i].requests = i % 2 == 0 ? 1 : 8;
  EXPECT_TRUE(measure_switch_cost(sizes).empty());
}

}  // namespace
}  // namespace ridgewatt::schedule
