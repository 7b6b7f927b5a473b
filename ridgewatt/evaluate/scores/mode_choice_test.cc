#include "ridgewatt/evaluate/mode_choice.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt::evaluate {
namespace {

// Times in ms at GPU clocks of 100, 200, .. MHz, all at 10 W.
Sweep sweep_of(const std::vector<double>& times_ms) {
  std::string rows = "gpu_mhz,time_ms,power_w\n";
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    rows += std::to_string(100 * (i + 1)) + "," + std::to_string(times_ms[i]) + ",10\n";
  }
  return parse_sweeps(rows, "rows.csv").at(0);
}

std::vector<PowerMode> modes_of(const Sweep& sweep) {
  std::vector<PowerMode> modes;
  for (const auto& point : sweep.points()) modes.push_back(point.mode);
  return modes;
}

// Any two points of a line determine it.
TEST(ModeChoice, ALineIsKnownFromAnyTwoOfItsPoints) {
  const Sweep sweep = sweep_of({90, 80, 70, 60, 50});
  const auto scores = score_choices(sweep, modes_of(sweep), {.count = 2});
  ASSERT_EQ(scores.size(), 10U);  // 5 choose 2
  std::set<std::vector<std::size_t>> different;
  for (const auto& score : scores) {
    different.insert(score.chosen);
    EXPECT_NEAR(score.others_time_pct, 0, 1e-9);
    EXPECT_NEAR(score.all_time_pct, 0, 1e-9);
    EXPECT_NEAR(score.others_power_pct, 0, 1e-9);
  }
  EXPECT_EQ(different.size(), 10U);
}

// The third of four points is not on the line of the others: 60 ms instead of 70 ms. Predicted from
// two others, only this point is wrong, by 10 / 60, so the mean error over both predicted points is
// half of that.
TEST(ModeChoice, WhatLiesOffTheLineIsNoneToLearnFrom) {
  const Sweep sweep = sweep_of({90, 80, 60, 60});
  const auto scores = score_choices(sweep, modes_of(sweep), {.count = 2});
  ASSERT_EQ(scores.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::set<std::size_t>(scores[i].chosen.begin(), scores[i].chosen.end()).count(2), 0U);
    EXPECT_NEAR(scores[i].others_time_pct, 100 * (10.0 / 60) / 2, 1e-9);
    EXPECT_NEAR(scores[i].all_time_pct, 100 * (10.0 / 60) / 4, 1e-9);
  }
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_GE(scores[i].others_time_pct, scores[i - 1].others_time_pct);
  }
}

TEST(ModeChoice, WhatCannotBeChosenIsRefused) {
  const Sweep sweep = sweep_of({90, 80, 70, 60, 50});
  auto modes = modes_of(sweep);
  EXPECT_THROW(score_choices(sweep, modes, {.count = 0}), UsageError);
  EXPECT_THROW(score_choices(sweep, modes, {.count = 5}), UsageError);
  EXPECT_THROW(score_choices(sweep, modes, {.count = 2, .method = "none"}), UsageError);
  modes.back().gpu_clock_hz = 1e9;
  EXPECT_THROW(score_choices(sweep, modes, {.count = 2}), InputError);
  EXPECT_THROW(score_choices(sweep, std::vector<PowerMode>(60, modes[0]), {.count = 30}),
               UsageError);
}

}  // namespace
}  // namespace ridgewatt::evaluate
