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

// Time falls by 1 and power rises by 2 W per level of the GPU clock; memory costs 4 W for nothing.
BisectionDescent::Look levels(double budget_w, std::vector<int>& gpu_levels) {
  return [budget_w, &gpu_levels](const SearchSpace::Position& at, std::string_view) {
    gpu_levels.push_back(at[kGpu]);
    const double power_w = 10 + 2 * at[kGpu] + 4 * at[kMemory];
    return BisectionDescent::Sight{20.0 - at[kGpu], power_w, power_w > budget_w};
  };
}

// Levels 0 to 7, from 3 upwards within 22 W: the ends, then the middles of 4..7 and of what is
// left of it. 6 is the highest within the budget.
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

// Over the budget the knob that gives up the least time per watt goes first: memory, whose slope
// is nothing, is not followed before the GPU clock has a slope to compare.
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
