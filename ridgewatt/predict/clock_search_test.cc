#include "ridgewatt/predict/clock_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"

namespace ridgewatt::predict {
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

TEST(ClockSearch, AStartIsLeftDownhill) {
  const std::vector<double> clocks = {1e8, 2e8, 3e8, 4e8, 5e8, 6e8, 7e8, 8e8};
  const auto energy = [](std::size_t i) { return std::abs(static_cast<double>(i) - 5); };
  const auto found = search_clock(clocks, energy, 5, 3);
  EXPECT_EQ(found.measured, (std::vector<std::size_t>{3, 2, 4, 5, 6}));
  EXPECT_EQ(found.best, 5U);
  EXPECT_EQ(search_clock(clocks, energy, 20, 0).measured.size(), clocks.size());
  EXPECT_EQ(search_clock(clocks, energy, 3, 7).measured, (std::vector<std::size_t>{7, 6, 5}));
  EXPECT_THROW(search_clock(clocks, energy, 3, 8), UsageError);
}

// The minimum moves by one step from batch to batch. Starting far away, three clocks would not find
// it.
TEST(ClockSearch, LaterBatchesStartWhereEarlierOnesEnded) {
  Sweep sweep;
  for (int batch = 1; batch <= 4; ++batch) {
    for (int i = 0; i < 30; ++i) {
      Observation row;
      row.point.batch = batch;
      row.point.mode.gpu_clock_hz = 1e8 * (i + 1);
      row.time_s = 1;
      row.power_w = 10 + std::abs(i - (10 + batch));
      sweep.observations.push_back(row);
    }
  }
  const auto scores = score_clock_search(sweep, 3);
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_EQ(scores.front().excess, 0);  // golden section tries 1.2e9 first
  for (const auto& score : scores) EXPECT_LT(score.excess, 0.11) << score.rest.batch;  // one step
  EXPECT_EQ(scores[1].answer_hz, scores[1].best_hz);
}

}  // namespace
}  // namespace ridgewatt::predict
