#include "ridgewatt/campaign/board_effects.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/merged_sweep.h"

namespace ridgewatt::campaign {
namespace {

OperatingPoint at(int number) {
  PowerMode mode;
  mode.gpu_clock_hz = 3e8 + 1e8 * number;
  return {mode, 1};
}

// ln time and ln power of a board at points 0, 1, ..; NaN: not measured.
BoardPoints board(const std::string& name, const std::vector<double>& ln_time,
                  const std::vector<double>& ln_power = {}) {
  BoardPoints result{name, {}};
  for (std::size_t p = 0; p < ln_time.size(); ++p) {
    if (std::isnan(ln_time[p])) continue;
    const double power = ln_power.empty() ? 3 : ln_power[p];
    result.observations.push_back({at(static_cast<int>(p)), std::exp(ln_time[p]), std::exp(power)});
  }
  return result;
}

// In a table without gaps and slopes, an offset is the mean of a row minus the mean of the table.
TEST(BoardEffects, OfAFullTableAreDifferencesOfMeans) {
  // Levels 0, 1, 2, 3; offsets 0.03, 0, -0.03. The deviations of 0.01 add up to 0 over each board
  // and each point, and do not correlate with the levels (no slope).
  const auto effects =
      board_effects({board("a", {0.04, 1.02, 2.02, 3.04}), board("b", {-0.01, 1.01, 2.01, 2.99}),
                     board("c", {-0.03, 0.97, 1.97, 2.97})});
  EXPECT_EQ(effects.shared, 4u);
  EXPECT_TRUE(effects.set_aside.empty());
  EXPECT_TRUE(effects.remarks.empty());
  const double expected[] = {0.03, 0, -0.03};
  for (int b = 0; b < 3; ++b) {
    EXPECT_NEAR(effects.boards[b].time.offset, expected[b], 1e-4);
    EXPECT_NEAR(effects.boards[b].time.slope.value(), 0, 1e-3);
    EXPECT_NEAR(effects.boards[b].power.offset, 0, 1e-9);
    EXPECT_FALSE(effects.boards[b].time.outlier);
  }
  // 8 squares of 0.01; degrees of freedom: 12 cells minus 4 levels, 2 offsets and 2 slopes.
  EXPECT_NEAR(effects.time.noise, std::sqrt(8e-4 / 4), 2e-4);
  EXPECT_NEAR(effects.time.degrees, 4, 0.1);
  // Student's 95 % quantile at 4 degrees of freedom is 2.132. A board's mean has 4 cells and is
  // compared with the mean of 3 boards.
  const auto& interval = *effects.boards[0].time.offset_interval;
  EXPECT_NEAR((interval.hi - interval.lo) / 2,
              2.132 * effects.time.noise * std::sqrt(1.0 / 4 * (1 - 1.0 / 3)), 2e-4);
}

TEST(BoardEffects, SlopeIsTheOneThatWasPutIn) {
  std::vector<BoardPoints> boards;
  const double slopes[] = {0.1, 0, -0.1};
  for (int b = 0; b < 3; ++b) {
    std::vector<double> time, power;
    for (int p = 0; p < 8; ++p) {
      const double level = 0.3 * p;
      time.push_back(level);
      power.push_back(2 + level + 0.05 * (b - 1) + slopes[b] * (level - 1.05));
    }
    boards.push_back(board("b" + std::to_string(b), time, power));
  }
  const auto effects = board_effects(boards);
  for (int b = 0; b < 3; ++b) {
    EXPECT_NEAR(effects.boards[b].power.slope.value(), slopes[b], 1e-4);
    EXPECT_NEAR(effects.boards[b].power.offset, 0.05 * (b - 1), 1e-4);
    EXPECT_NEAR(effects.boards[b].time.slope.value(), 0, 1e-6);
    for (const auto& row : boards[b].observations) {  // to_mean_board() removes the effects
      const auto mean = to_mean_board(effects, effects.boards[b], row);
      EXPECT_NEAR(mean.power_w / boards[1].observations[0].power_w, std::exp(std::log(row.time_s)),
                  1e-3 * std::exp(std::log(row.time_s)));
    }
  }
}

TEST(BoardEffects, OddBoardIsNamedAndDoesNotMoveTheOthers) {
  std::vector<BoardPoints> boards;
  for (int b = 0; b < 5; ++b) {
    std::vector<double> time;
    for (int p = 0; p < 6; ++p) time.push_back(0.2 * p + 0.01 * (b - 2) + 0.002 * ((b * p) % 3));
    if (b == 4) {
      for (double& one : time) one += std::log(3.0);
    }
    boards.push_back(board("b" + std::to_string(b), time));
  }
  const auto effects = board_effects(boards);
  for (int b = 0; b < 4; ++b) {
    EXPECT_FALSE(effects.boards[b].time.outlier);
    EXPECT_NEAR(effects.boards[b].time.offset, 0.01 * (b - 1.5), 0.004);  // relative to four boards
  }
  EXPECT_TRUE(effects.boards[4].time.outlier);
  EXPECT_FALSE(effects.boards[4].power.outlier);
  EXPECT_NEAR(effects.boards[4].time.offset, std::log(3.0) + 0.025, 0.004);
}

TEST(BoardEffects, WrongPointIsSetAside) {
  std::vector<BoardPoints> boards;
  for (int b = 0; b < 4; ++b) {
    std::vector<double> time;
    for (int p = 0; p < 6; ++p) time.push_back(0.2 * p + 0.003 * ((b + 2 * p) % 3));
    if (b == 1) time[2] += 0.4;
    boards.push_back(board("b" + std::to_string(b), time));
  }
  const auto effects = board_effects(boards);
  ASSERT_EQ(effects.set_aside.size(), 1u);
  EXPECT_EQ(effects.set_aside[0].board, "b1");
  EXPECT_EQ(effects.set_aside[0].point, at(2));
  EXPECT_EQ(effects.set_aside[0].quantity, "time");
  EXPECT_NEAR(effects.set_aside[0].deviation, 0.4, 0.02);
  EXPECT_NEAR(effects.boards[1].time.offset, 0, 0.005);
}

void expect_finite(const BoardEffects& effects) {
  for (const auto& one : effects.boards) {
    for (const auto* quantity : {&one.time, &one.power}) {
      for (const double value :
           {quantity->offset, quantity->noise, quantity->offset_variance, quantity->slope_variance,
            quantity->covariance, quantity->assumed_slope, quantity->slope.value_or(0)}) {
        EXPECT_TRUE(std::isfinite(value)) << one.board;
      }
    }
  }
}

TEST(BoardEffects, SayWhatIsNotKnown) {
  const double none = std::nan("");
  const auto alone = board_effects({board("a", {0, 1, 2})});
  EXPECT_FALSE(alone.boards[0].known);
  EXPECT_EQ(alone.remarks.size(), 1u);
  EXPECT_TRUE(board_effects({}).boards.empty());

  const auto apart = board_effects({board("a", {0, none, 2}), board("b", {none, 1, none})});
  EXPECT_FALSE(apart.boards[0].known || apart.boards[1].known);
  EXPECT_EQ(apart.shared, 0u);
  EXPECT_FALSE(apart.remarks.empty());

  // One shared point determines an offset, but neither noise nor slope.
  const auto one = board_effects({board("a", {0, 1, none}), board("b", {0.1, none, 2})});
  EXPECT_EQ(one.shared, 1u);
  EXPECT_NEAR(one.boards[1].time.offset, 0.05, 1e-3);
  EXPECT_FALSE(one.boards[1].time.offset_interval);
  EXPECT_FALSE(one.boards[1].time.slope);
  EXPECT_FALSE(one.remarks.empty());

  // A board without a common point, together with two boards that share points.
  const auto left_out = board_effects({board("a", {0, 1, 2, none}), board("b", {0.1, 1.1, 2, none}),
                                       board("c", {none, none, none, 5})});
  EXPECT_TRUE(left_out.boards[0].known && left_out.boards[1].known);
  EXPECT_FALSE(left_out.boards[2].known);

  // A new board with two points, boards without noise, and boards with a single level.
  const auto thin = board_effects({board("a", {0, 1, 2, 3, 4}), board("b", {0.02, 1, 2, 3, 4}),
                                   board("c", {0.1, 1.1, none, none, none})});
  EXPECT_NEAR(thin.boards[2].time.offset, 0.1 * 2 / 3, 0.05);
  const auto same = board_effects({board("a", {1, 1, 1, 1}), board("b", {1, 1, 1, 1})});
  EXPECT_FALSE(same.boards[0].time.slope);
  for (const auto* effects : {&alone, &apart, &one, &left_out, &thin, &same}) {
    expect_finite(*effects);
  }
  EXPECT_THROW(board_effects({board("a", {0}), board("a", {0})}), UsageError);
  EXPECT_THROW(board_effects({board("a", {INFINITY})}), InputError);
}

TEST(BoardEffects, RepeatsTellTheirNoise) {
  BoardPoints a = board("a", {0, 1}), b = board("b", {0, 1});
  a.observations.push_back({at(0), std::exp(0.02), std::exp(3)});  // deviations 0 and 0.02
  const auto effects = board_effects({a, b});
  EXPECT_NEAR(effects.time.repeat.value(), 0.02 / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(effects.power.repeat.value(), 0, 1e-9);
}

TEST(MergedSweep, TakesTheEffectsOut) {
  BoardsOfKind kind{"agx-orin", "resnet18", "training", Provenance::kFake, {}};
  const double none = std::nan("");
  // Five shared points, and one point of each board alone. Board b takes 10 % longer and draws 4 %
  // less.
  kind.boards = {
      board("a", {0, 0.5, 1, 1.5, 2, 2.5, none}, {3, 3.1, 3.2, 3.3, 3.4, 3.5, 0}),
      board("b", {0.1, 0.6, 1.1, 1.6, 2.1, none, 3.1}, {2.96, 3.06, 3.16, 3.26, 3.36, 0, 3.56}),
      board("alone", std::vector<double>(7, none))};
  kind.boards[2].observations.push_back({at(9), 7, 7});
  const MergedSweep merged = merge_boards(kind);
  ASSERT_EQ(merged.sweep.observations.size(), 8u);
  for (const auto& row : merged.sweep.observations) {
    if (row.point == at(9)) {
      EXPECT_EQ(row.time_s, 7);
      continue;
    }
    const double number = std::round((row.point.mode.gpu_clock_hz - 3e8) / 1e8);
    EXPECT_NEAR(std::log(row.time_s), 0.05 + 0.5 * number, 1e-4);
    EXPECT_NEAR(std::log(row.power_w), 2.98 + 0.1 * number, 1e-4);
  }
  EXPECT_EQ(merged.uncorrected, std::vector<std::string>{"alone"});
  EXPECT_EQ(merged.origins[0].boards, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(merged.origins[5].boards, std::vector<std::string>{"a"});
  EXPECT_EQ(merged.origins[6].boards, std::vector<std::string>{"b"});
  const Sweep as_measured = merge_boards(kind, false).sweep;
  EXPECT_NEAR(std::log(as_measured.observations[6].time_s), 3.1, 1e-9);

  const std::string csv = write_merged_csv({merged});
  EXPECT_NE(csv.find("boards,time_correction_pct,power_correction_pct\n"), std::string::npos);
  EXPECT_NE(csv.find(",a b,"), std::string::npos);
  const auto read = parse_sweeps(csv, "merged");  // a regular sweep
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].board, "agx-orin");
  EXPECT_EQ(read[0].provenance, Provenance::kFake);
  EXPECT_EQ(read[0].observations.size(), 8u);
}

}  // namespace
}  // namespace ridgewatt::campaign
