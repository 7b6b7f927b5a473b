#include "ridgewatt/tune/bisection_descent.h"

#include <gtest/gtest.h>

#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt::tune {
namespace {

constexpr std::size_t kGpu = 2, kMemory = 3;  // axes

SearchSpace two_knobs() {
  return SearchSpace(
      KnobSpace(KnobSpace::Levels{
          {{4}, {1e9}, {0.1e9, 0.2e9, 0.3e9, 0.4e9, 0.5e9, 0.6e9, 0.7e9, 0.8e9}, {1e9, 2e9}}}),
      {});
}

// Each level of the GPU clock lowers the time by 1 and adds 2 W. Each memory level adds 4 W and no
// speed.
BisectionDescent::Look levels(double budget_w, std::vector<int>& gpu_levels) {
  return [budget_w, &gpu_levels](const SearchSpace::Position& at, std::string_view) {
    gpu_levels.push_back(at[kGpu]);
    const double power_w = 10 + 2 * at[kGpu] + 4 * at[kMemory];
    return BisectionDescent::Sight{20.0 - at[kGpu], power_w, power_w > budget_w};
  };
}

// Levels 0 to 7, starting at 3, within 22 W: the search looks at both ends, then at the middle of
// 4..7 and of the remaining range. 6 is the highest level within the budget.
TEST(BisectionDescent, FindsTheEdgeOfTheBudgetByHalving) {
  const SearchSpace space = two_knobs();
  std::vector<int> seen;
  SearchSpace::Position start{};
  start[kGpu] = 3;
  BisectionDescent descent(space, start, levels(22, seen));
  ASSERT_TRUE(descent.start("middle"));
  descent.probe_ends();
  while (descent.follow_steepest()) {
  }
  EXPECT_EQ(descent.at()[kGpu], 6);
  EXPECT_EQ(descent.at()[kMemory], 0);
  EXPECT_EQ(std::vector(seen.begin(), seen.begin() + 5), (std::vector<int>{3, 7, 3, 6, 7}));
}

// Above the budget, the knob that loses the least time per watt is lowered first. Memory has a
// slope of zero, but the search waits until the GPU clock has a slope to compare with.
TEST(BisectionDescent, GoesDownWhileOverTheBudget) {
  const SearchSpace space = two_knobs();
  std::vector<int> seen;
  SearchSpace::Position start{};
  start[kGpu] = 7;
  BisectionDescent descent(space, start, levels(15, seen));
  ASSERT_TRUE(descent.start("top"));
  descent.probe_ends();
  while (descent.follow_steepest()) {
  }
  EXPECT_EQ(descent.at()[kGpu], 2);  // 14 W
}

TEST(BisectionDescent, EndsWhereNothingCanBeSeen) {
  const SearchSpace space = two_knobs();
  BisectionDescent descent(space, {}, [](const auto&, std::string_view) {
    return std::optional<BisectionDescent::Sight>();
  });
  EXPECT_FALSE(descent.start("middle"));
}

}  // namespace
}  // namespace ridgewatt::tune
