// Tests searches that run several points at once: simulated boards with late and lost runs.
#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/tune/board_fixture.h"
#include "ridgewatt/tune/simulated_boards.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {
namespace {

using testing::small_board;
using testing::SmallBoard;

Goal fastest_under(double power_w) {
  Goal goal;
  goal.limits.power_w = power_w;
  return goal;
}

struct Course {
  SearchSummary summary;
  std::map<OperatingPoint, int> asked;
  double clock_s = 0;
};

Course run_on(const SimulationOptions& simulation, int profiles = 15) {
  const SearchSpace space(small_board(), {16});
  SmallBoard truth;
  SimulatedBoards boards(truth, simulation);
  StrategyOptions options;
  options.budget.profiles = profiles;
  Course run;
  run.summary = tune(space, fastest_under(12), boards, options);
  run.asked = truth.asked();
  run.clock_s = boards.now_s();
  return run;
}

std::vector<OperatingPoint> points_of(const SearchSummary& summary) {
  std::vector<OperatingPoint> points;
  for (const auto& step : summary.steps) points.push_back(step.seen.point);
  return points;
}

TEST(SimulatedBoards, OneBoardIsTheProfilerItself) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  const auto alone = tune(space, fastest_under(12), board, StrategyOptions());
  EXPECT_EQ(points_of(run_on({.boards = 1}).summary), points_of(alone));
  EXPECT_EQ(alone.wall_clock_s, 0);
}

TEST(SimulatedBoards, TheBudgetPaysForEveryPointOnce) {
  for (const int count : {2, 4, 8, 40}) {
    const Course run = run_on({.boards = count});
    EXPECT_EQ(run.summary.steps.size(), 15u) << count;
    EXPECT_EQ(run.asked.size(), 15u) << count;
    for (const auto& [point, times] : run.asked) EXPECT_EQ(times, 1) << count;
    EXPECT_EQ(run.summary.stop_reason, StopReason::kBudget);
    ASSERT_TRUE(run.summary.answer) << count;
    EXPECT_LE(run.summary.answer->power_w, 12);
  }
}

TEST(SimulatedBoards, OneSeedIsOneCourse) {
  const SimulationOptions simulation{.boards = 4, .seed = 7};
  const Course a = run_on(simulation), b = run_on(simulation);
  EXPECT_EQ(points_of(a.summary), points_of(b.summary));
  EXPECT_EQ(a.clock_s, b.clock_s);
}

// Each run takes a day; the time of its minibatches, about a minute, is negligible. 15 runs need
// 15, 8, 4 and 2 rounds.
TEST(SimulatedBoards, EqualRunsTakeRounds) {
  const std::map<int, int> rounds = {{1, 15}, {2, 8}, {4, 4}, {8, 2}};
  for (const auto& [count, wanted] : rounds) {
    const Course run = run_on({.boards = count, .overhead_s = 86400, .spread = 0});
    EXPECT_NEAR(run.summary.wall_clock_s / 86400, wanted, 0.01 * wanted) << count;
  }
}

TEST(SimulatedBoards, ALostRunIsGivenToAnotherBoard) {
  const Course run = run_on({.boards = 4, .spread = 0, .dies_at_s = {5}, .noticed_after_s = 30});
  EXPECT_EQ(run.summary.steps.size(), 15u);
  EXPECT_EQ(run.asked.size(), 15u);
  int twice = 0;
  for (const auto& [point, times] : run.asked) twice += times == 2;
  EXPECT_EQ(twice, 1);  // only the point that the failed board was running
}

// No message reports the failure of the board; its point is only late.
TEST(SimulatedBoards, ASilentDeathCostsNoProfile) {
  const Course run = run_on({.boards = 4, .spread = 0, .dies_at_s = {5}});
  EXPECT_EQ(run.summary.steps.size(), 15u);
  EXPECT_EQ(run.asked.size(), 15u);
  EXPECT_LT(run.clock_s, 2 * run_on({.boards = 4, .spread = 0}).clock_s);
}

// A board that is 50 times slower would take half an hour for its first point.
TEST(SimulatedBoards, AStragglerIsNotWaitedFor) {
  const Course run = run_on({.boards = 4, .spread = 0, .slowness = {50}});
  EXPECT_EQ(run.summary.steps.size(), 15u);
  EXPECT_EQ(run.asked.size(), 15u);
  EXPECT_LT(run.clock_s, 2 * run_on({.boards = 4, .spread = 0}).clock_s);
}

TEST(SimulatedBoards, WithoutABoardTheSearchEnds) {
  EXPECT_THROW(run_on({.boards = 2, .dies_at_s = {5, 5}, .noticed_after_s = 1}), Error);
  EXPECT_THROW(run_on({.boards = 0}), UsageError);
}

// A point that is lost repeatedly is treated as one that cannot run.
TEST(SimulatedBoards, APointMayCostThreeBoards) {
  SimulationOptions simulation{.boards = 4, .spread = 0, .noticed_after_s = 1};
  simulation.dies_at_s = {5, 25, 50};
  const Course run = run_on(simulation);
  EXPECT_GE(run.summary.steps.size(), 14u);
  EXPECT_LE(run.asked.size(), 15u);
}

TEST(Surrogate, AwaitedPointsKeepTheirMeansAndLoseTheirDoubt) {
  const SearchSpace space(small_board(), {16});
  const SurrogatePrior prior(space);
  Surrogate surrogate(prior, 0.01);
  for (const std::size_t i : {0u, 40u, 90u, 140u}) {
    const Observation seen = testing::small_board_run(space[i]);
    surrogate.observe(i, seen.time_s, seen.power_w);
  }
  Beliefs before, after;
  surrogate.predict(before);
  const std::vector<std::size_t> awaited = {70, 120};
  surrogate.predict(after, awaited);
  ASSERT_EQ(after.awaited.size(), 2u);
  EXPECT_EQ(before.time_mean, after.time_mean);
  for (std::size_t i = 0; i < space.size(); ++i) {
    EXPECT_LE(after.power_sd[i], before.power_sd[i] + 1e-6F);
    // The reduction of the variance is the variance that the results would cause in the mean.
    const float moved = after.awaited[0].time_row[i] * after.awaited[0].time_row[i] +
                        after.awaited[1].time_row[i] * after.awaited[1].time_row[i];
    const float lost = before.time_sd[i] * before.time_sd[i] - after.time_sd[i] * after.time_sd[i];
    EXPECT_NEAR(lost, moved, 1e-5F + 0.01F * moved);
  }
  EXPECT_LT(after.time_sd[70], 0.012);  // only the noise remains
}

}  // namespace
}  // namespace ridgewatt::tune
