// Tests the policy on boards and days that are known exactly, and on random ones.
#include "ridgewatt/govern/policy.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/govern/day.h"
#include "ridgewatt/govern/jobs.h"

namespace ridgewatt::govern {
namespace {

// A board of five modes, each of which draws more power the faster it is, and one mode that is
// never the best.
std::vector<twin::TimePower> modes_of(double time_factor, double power_factor) {
  return {{1.0 * time_factor, 10 * power_factor},  {0.7 * time_factor, 15 * power_factor},
          {0.5 * time_factor, 22 * power_factor},  {0.4 * time_factor, 30 * power_factor},
          {0.35 * time_factor, 38 * power_factor}, {0.8 * time_factor, 36 * power_factor}};
}

ModePrior prior_of(const std::vector<twin::TimePower>& modes) {
  ModePrior prior;
  prior.modelled = modes;
  const auto count = static_cast<Eigen::Index>(modes.size());
  for (auto& covariance : prior.covariance) {
    covariance = Eigen::MatrixXd::Constant(count, count, 0.02);
    covariance.diagonal().array() += 0.0009;
  }
  return prior;
}

DayBoard board_of(const std::vector<twin::TimePower>& modes) {
  DayBoard board;
  for (const auto& cost : modes) board.modes.push_back({cost, 5, 1});
  board.top = 4;
  return board;
}

Policy policy_of(const Goal& goal, const PolicyOptions& options = {}) {
  return Policy(goal, prior_of(modes_of(1, 1)), std::vector<double>(6, 5.0), options);
}

DayOptions calm(double length_s) {
  DayOptions options;
  options.length_s = length_s;
  options.spells_per_h = options.pauses_per_h = 0;
  options.most_leak_per_kelvin = 0;
  options.noise = options.power_noise = 0;
  return options;
}

// The board equals its twin and the day is calm: the result is as good as the exact best mix,
// except for the margin and the cost of trials.
TEST(Policy, OnACalmDayItIsTheBestMix) {
  const auto modes = modes_of(1, 1);
  const Goal goal{.end_s = 20000, .minibatches = 25000};
  Policy policy = policy_of(goal);
  const DayOutcome held = govern_day(policy, board_of(modes), Day(calm(20000), 1));
  std::vector<ModeCost> costs;
  for (const auto& [time_s, power_w] : modes) costs.push_back({time_s, power_w, 5});
  const JobWays ways = ways_of_job(costs, {.minibatches = 25000, .end_s = 20000});
  EXPECT_TRUE(held.done);
  EXPECT_LE(held.end_s, 20000);
  EXPECT_GE(held.energy_j, ways.mix->energy_j * (1 - 1e-9)) << "no governor beats the best mix";
  EXPECT_LT(held.energy_j, ways.mix->energy_j * 1.02);
}

// The board is 20 % slower than its twin: a plan that trusts the twin would be late.
TEST(Policy, ASlowerBoardIsLearned) {
  const Goal goal{.end_s = 20000, .minibatches = 25000};
  Policy policy = policy_of(goal);
  const auto modes = modes_of(1.2, 1.1);
  const DayOutcome held = govern_day(policy, board_of(modes), Day(calm(20000), 1));
  EXPECT_TRUE(held.done);
  EXPECT_LE(held.end_s, 20000 * 1.001);
  EXPECT_NEAR(policy.belief().now(2).time_s, 0.6, 0.03);
}

TEST(Policy, WhatCannotBeReachedGoesAsFastAsItCan) {
  Policy policy = policy_of({.end_s = 1000, .minibatches = 10000});
  const Decision next = policy.decide({});
  EXPECT_FALSE(next.reachable);
  EXPECT_EQ(next.mode, 4u);
  EXPECT_GT(next.end_s, 1000);
}

TEST(Policy, ABudgetIsUsedAndKept) {
  const Goal goal{.end_s = 86400, .energy_j = 20.0 * 86400};
  Policy policy = policy_of(goal);
  const auto modes = modes_of(0.9, 1.2);
  const DayOutcome held = govern_day(policy, board_of(modes), Day(calm(86400), 1));
  EXPECT_LE(held.energy_j, goal.energy_j * 1.001);
  EXPECT_GE(held.energy_j, goal.energy_j * 0.98);
}

// Totals include rest: of 5 W before the program starts, after the budget is used and, between
// requests, in a mode. The board rests until the end of the day after the last step.
TEST(Policy, TheTotalsOfStepsAreThoseOfTheDay) {
  const auto modes = modes_of(1, 1);
  DayOptions requests = calm(20000);
  requests.rate_hz = 0.5;
  const Goal budget{.end_s = 20000, .energy_j = 15.0 * 20000}, latency{.latency_s = 2};
  for (const auto& [goal, options] :
       {std::pair(budget, calm(20000)), std::pair(latency, requests)}) {
    Policy policy = policy_of(goal);
    const DayOutcome held = govern_day(policy, board_of(modes), Day(options, 1), true);
    double before_j = 0, before = 0;
    for (const auto& step : held.steps) {
      EXPECT_GE(step.energy_j - before_j, step.seen.energy_j * (1 - 1e-9)) << step.begin_s;
      EXPECT_GE(step.minibatches, before);
      // The idle power is the least power of this board.
      EXPECT_GE(step.energy_j, 5 * step.begin_s * (1 - 1e-9)) << step.begin_s;
      before_j = step.energy_j, before = step.minibatches;
    }
    EXPECT_NEAR(before_j, held.energy_j, 1e-6 * held.energy_j);
    EXPECT_DOUBLE_EQ(before, held.minibatches);
  }
}

TEST(Policy, ACapIsKeptAwayFrom) {
  Policy policy = policy_of({.power_w = 26});
  const auto modes = modes_of(1, 1.1);  // mode 2 draws 24.2 W
  const DayOutcome held = govern_day(policy, board_of(modes), Day(calm(20000), 1));
  EXPECT_EQ(held.over_share, 0);
  EXPECT_EQ(policy.decide({20000}).mode, 2u) << "the fastest below the cap";
}

TEST(Policy, RequestsAreServedInTime) {
  Policy policy = policy_of({.latency_s = 0.9}, {.caution = 0, .rate_headroom = 0});
  // At 0.8 requests per second: a mode of 0.7 s takes 0.7 (1 + 0.56 / 0.88) = 1.15 s, one of 0.5 s
  // takes 0.67 s.
  const Decision next = policy.decide({.rate_hz = 0.8});
  EXPECT_EQ(next.mode, 2u);
  EXPECT_TRUE(next.reachable);
  EXPECT_FALSE(policy.decide({.rate_hz = 2.9}).reachable);
}

TEST(Policy, LatencyIsThatOfTheQueue) {
  EXPECT_DOUBLE_EQ(latency_s(0, 4, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(latency_s(5, 1, 0.1), 0.1 * (1 + 0.5 / 1));  // rho 0.5
  EXPECT_DOUBLE_EQ(latency_s(20, 2, 0.05), 1 / 20.0 + 0.05 * 1.5);
  EXPECT_EQ(latency_s(10, 1, 0.1), Goal::kNone);
}

TEST(Policy, GoalsThatMeanNothingAreRefused) {
  EXPECT_THROW(Goal{}.check(), UsageError);
  EXPECT_THROW((Goal{.minibatches = 10}.check()), UsageError);
  EXPECT_THROW((Goal{.end_s = 10, .minibatches = 10, .energy_j = 10}.check()), UsageError);
  EXPECT_THROW((Goal{.power_w = -1}.check()), UsageError);
  EXPECT_THROW((Goal{.end_s = 10, .minibatches = std::nan("")}.check()), UsageError);
  EXPECT_THROW(policy_of({.end_s = 1, .minibatches = 1}, {.margin = 1}), UsageError);
  EXPECT_THROW(Policy({.power_w = 5}, prior_of(modes_of(1, 1)), {1}), UsageError);
}

// A trial during which the day changes must not count, because mode 0 would look twice as fast.
TEST(Policy, ATrialWhileTheDayChangesDoesNotCount) {
  Policy policy = policy_of({.end_s = 20000, .minibatches = 22000}, {.trial_cost = 0});
  const auto modes = modes_of(1, 1);
  double now_s = 0, done = 0;
  bool slow = true, tried = false;
  std::size_t trial = 0;
  for (int step = 0; step < 200 && now_s < 19000; ++step) {
    const Decision next = policy.decide({now_s, done, 0});
    ASSERT_TRUE(next.mode);
    if (next.reason == "tried" && !tried) {
      slow = false;  // the slow period ends with the trial
      tried = true;
      trial = *next.mode;
    }
    const double time_s = modes[*next.mode].time_s * (slow ? 1.3 : 1);
    policy.see({.mode = *next.mode,
                .duration_s = next.for_s,
                .minibatches = next.for_s / time_s,
                .energy_j = next.for_s * modes[*next.mode].power_w});
    now_s += next.for_s;
    done += next.for_s / time_s;
    if (tried && policy.belief().seen(trial) > 0) break;
  }
  ASSERT_TRUE(tried);
  const auto other = trial == 2 ? std::size_t{1} : std::size_t{2};
  const double ratio = policy.belief().now(trial).time_s / policy.belief().now(other).time_s;
  EXPECT_NEAR(ratio, modes[trial].time_s / modes[other].time_s, 0.12);
}

// Power rises until the mode exceeds the cap, and the fastest mode below the cap was never
// measured. Its trial counts although the previous mode does not run again.
TEST(Policy, ATrialCountsWhereTheModeBeforeItIsOverTheCap) {
  const std::vector<twin::TimePower> modes = {{0.6, 17}, {0.55, 22}, {0.5, 24}};
  Policy policy({.power_w = 26}, prior_of(modes), {5, 5, 5});
  std::vector<std::string> tried;
  for (int step = 0; step < 40; ++step) {
    const Decision next = policy.decide({60.0 * step});
    ASSERT_TRUE(next.mode);
    const auto& [time_s, power_w] = modes[*next.mode];
    if (next.reason == "tried") {
      tried.push_back(fmt::format("{} at {}", *next.mode, step));
    }
    policy.see({.mode = *next.mode,
                .duration_s = next.for_s,
                .minibatches = next.for_s / time_s,
                .energy_j = next.for_s * power_w * (step < 10 ? 1 : 1.1)});
  }
  EXPECT_LE(tried.size(), modes.size() - 1) << fmt::format("{}", fmt::join(tried, ", "));
  EXPECT_GT(policy.belief().seen(1), 1u);
  EXPECT_EQ(policy.decide({2400}).mode, 1u) << "24.2 W";
}

// Random boards and days with other processes, pauses and heat: goals are met.
TEST(Policy, GoalsAreHeldOnRandomDays) {
  int late = 0, over = 0;
  constexpr int kDays = 20;
  for (int i = 0; i < kDays; ++i) {
    Random random(static_cast<std::uint64_t>(500 + i));
    const auto modes = modes_of(random.uniform(0.85, 1.15), random.uniform(0.85, 1.15));
    const Day day({.length_s = 6 * 3600.0}, static_cast<std::uint64_t>(i));
    const double most = day.open_share() * 6 * 3600 / modes[4].time_s;
    Policy job = policy_of({.end_s = 6 * 3600.0, .minibatches = 0.7 * most});
    const DayOutcome held = govern_day(job, board_of(modes), day);
    late += !held.done || held.end_s > 1.02 * 6 * 3600;
    Policy budget = policy_of({.end_s = 6 * 3600.0, .energy_j = 20.0 * 6 * 3600});
    const DayOutcome used = govern_day(budget, board_of(modes), day);
    over += std::abs(used.energy_j / (20.0 * 6 * 3600) - 1) > 0.03;
  }
  EXPECT_EQ(late, 0);
  EXPECT_EQ(over, 0);
}

TEST(Day, FollowsItsSeed) {
  const Day a({}, 5), b({}, 5), c({}, 6);
  EXPECT_EQ(a.open_share(), b.open_share());
  EXPECT_NE(a.open_share(), c.open_share());
  EXPECT_GT(a.open_share(), 0.7);
  EXPECT_LE(a.open_share(), 1);
  EXPECT_THROW(Day({.length_s = -1}, 1), UsageError);
  EXPECT_THROW(Day({.length_s = 1e9}, 1), UsageError);
}

// Computed by hand: 0.5 s at 22 W for 100 minibatches, then 5 W for the other 60 s.
TEST(Day, AFixedModeIsAccountedForExactly) {
  const DayBoard board = board_of(modes_of(1, 1));
  const DayOutcome fixed =
      fixed_day({.end_s = 110, .minibatches = 100}, board, 2, Day(calm(110), 1));
  EXPECT_NEAR(fixed.end_s, 50, 1e-6);
  EXPECT_NEAR(fixed.energy_j, 50 * 22 + 60 * 5, 1e-6);
  const auto best = best_fixed_day({.end_s = 110, .minibatches = 100}, board, Day(calm(110), 1));
  ASSERT_TRUE(best);
  EXPECT_EQ(best->mode, 0u);  // 1050 J; mode 1 takes 1250 J, the others more
  EXPECT_FALSE(best_fixed_day({.end_s = 110, .minibatches = 320}, board, Day(calm(110), 1)));
}

}  // namespace
}  // namespace ridgewatt::govern
