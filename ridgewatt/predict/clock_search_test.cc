#include "ridgewatt/predict/clock_search.h"

#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

TEST(ClockSearch, FiveOfFortyClocksComeWithinAPercentOfAConvexMinimum) {
  std::vector<double> clocks;
  for (int i = 0; i < 40; ++i) clocks.push_back(0.2e9 + i * 0.03e9);
  for (const double best : {0.5e9, 0.7e9, 0.9e9, 1.1e9}) {
    const auto energy = [&](std::size_t i) {
      const double off = (clocks[i] - best) / 1e9;
      return 1 + off * off;
    };
    std::set<std::size_t> asked;
    const ClockSearch found = search_clock(
        clocks,
        [&](std::size_t i) {
          EXPECT_TRUE(asked.insert(i).second);
          return energy(i);
        },
        5);
    EXPECT_EQ(found.measured.size(), 5U);
    EXPECT_LT(energy(found.best), 1.01);
  }
}

TEST(ClockSearch, FewClocksAreAllMeasuredAndAMinimumAtTheEndIsFound) {
  const std::vector<double> clocks = {1e8, 2e8, 3e8, 4e8};
  const auto falling = search_clock(
      clocks, [](std::size_t i) { return 1 / static_cast<double>(i + 1); }, 4);
  EXPECT_EQ(falling.best, 3U);
  const auto one = search_clock(
      std::vector<double>{1e9}, [](std::size_t) { return 1.0; }, 5);
  EXPECT_EQ(one.measured.size(), 1U);
  EXPECT_THROW(search_clock(
                   {}, [](std::size_t) { return 1.0; }, 5),
               UsageError);
  EXPECT_THROW(search_clock(
                   std::vector<double>{2e9, 1e9}, [](std::size_t) { return 1.0; }, 5),
               UsageError);
}

}  // namespace
}  // namespace ridgewatt
