#include "ridgewatt/tune/strategy.h"

#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/tune/board_fixture.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {
namespace {

using testing::small_board;
using testing::small_board_run;
using testing::small_board_sweep;
using testing::SmallBoard;

Goal under_power(double power_w) {
  Goal goal;
  goal.limits.power_w = power_w;
  return goal;
}

double optimum(const Goal& goal, const std::vector<int>& batches = {16}) {
  const Sweep sweep = small_board_sweep(batches);
  return objective_value(goal, sweep.observations[*best_feasible(goal, sweep.observations)]);
}

class EveryStrategy : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategy, AnswersWithAProfiledPointWithinItsBudget) {
  const SearchSpace space(small_board(), {4, 16});
  for (const double power : {9.0, 12.0, 30.0}) {
    SmallBoard board;
    StrategyOptions options;
    options.strategy = GetParam();
    options.budget.profiles = 12;
    options.presets = {space[3].mode, space[space.size() - 1].mode};
    const Goal goal = under_power(power);
    const SearchSummary summary = tune(space, goal, board, options);
    const int allowed =
        options.strategy == "exhaustive" ? static_cast<int>(space.size()) : options.budget.profiles;
    EXPECT_LE(static_cast<int>(summary.steps.size()), allowed);
    double time_s = 0;
    for (const auto& step : summary.steps) time_s += 40 * step.seen.time_s;
    EXPECT_NEAR(summary.board_time_s, time_s, 1e-9);
    ASSERT_EQ(summary.feasible, summary.answer.has_value());
    if (!summary.feasible) {
      ASSERT_TRUE(summary.miss);
      continue;
    }
    EXPECT_EQ(judge(goal, *summary.answer).feasibility, Feasibility::kFeasible);
    EXPECT_GT(board.asked().count(summary.answer->point), 0u);
  }
}

TEST_P(EveryStrategy, IsTheSameWithTheSameSeed) {
  const SearchSpace space(small_board(), {16});
  StrategyOptions options;
  options.strategy = GetParam();
  options.presets = {space[0].mode};
  SmallBoard first, second;
  const SearchSummary a = tune(space, under_power(12), first, options);
  const SearchSummary b = tune(space, under_power(12), second, options);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].seen.point, b.steps[i].seen.point);
  }
}

TEST_P(EveryStrategy, SaysWhyItStopped) {
  const SearchSpace space(small_board(), {16});
  for (const int profiles : {3, 1000}) {
    SmallBoard board;
    StrategyOptions options;
    options.strategy = GetParam();
    options.budget.profiles = profiles;
    const SearchSummary summary = tune(space, under_power(12), board, options);
    const bool spent =
        static_cast<int>(summary.steps.size()) ==
        (find_strategy(GetParam()).every_point ? static_cast<int>(space.size()) : profiles);
    EXPECT_EQ(summary.stop_reason, spent ? StopReason::kBudget : StopReason::kNothingLeft);
    std::set<OperatingPoint> points;
    for (const auto& step : summary.steps) points.insert(step.seen.point);
    EXPECT_EQ(summary.stop, points.size() == space.size() ? "every point profiled"
                                                          : stop_reason_text(summary.stop_reason));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, ::testing::ValuesIn(strategy_names()),
                         [](const auto& info) { return std::string(info.param); });

TEST(Strategies, EveryRowIsDescribedAndNamedOnce) {
  std::set<std::string_view> names;
  for (const auto& row : strategies()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_EQ(&find_strategy(row.name), &row);
  }
  EXPECT_EQ(names_where(strategies(), &Strategy::remembers), "als and auto");
  EXPECT_EQ(names_where(strategies(), &Strategy::stops_early), "auto");
}

// A user-defined strategy is a function of the search, and an entry in the table. This one halves
// the GPU clock until the power is within the limit. On this board, power falls with the clock, so
// the strategy finds a mode.
void search_halving(Search& search) {
  const SearchSpace& space = search.space();
  SearchSpace::Position position = space.position(space.top());
  while (search.profiles_left() > 0 && !search.best()) {
    const std::size_t point = *space.nearest(position);
    if (!search.untried(point)) return;
    search.profile(point, "GPU clock halved");
    position[2] /= 2;
  }
}

TEST(Strategies, AUsersOwnIsAFunctionAndARow) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  const Strategy halving{.name = "halving", .run = search_halving};
  const SearchSummary summary = tune(space, under_power(20), board, halving, {});
  EXPECT_EQ(summary.strategy, "halving");
  ASSERT_TRUE(summary.answer);
  EXPECT_LE(summary.answer->power_w, 20);
  EXPECT_EQ(summary.steps.front().seen.point, space[space.top()]);
  EXPECT_EQ(summary.steps.back().reason, "GPU clock halved");
  EXPECT_EQ(summary.stop_reason, StopReason::kNothingLeft);
  // A lambda also works, and the budget applies to it.
  const Strategy top{.name = "top", .run = [](Search& search) {
                       for (int i = 0; i < 9; ++i) search.profile(search.space().top(), "again");
                     }};
  StrategyOptions options;
  options.budget.profiles = 4;
  EXPECT_EQ(tune(space, {}, board, top, options).steps.size(), 4u);
}

TEST(Exhaustive, FindsTheOptimum) {
  const SearchSpace space(small_board(), {4, 16});
  SmallBoard board;
  StrategyOptions options;
  options.strategy = "exhaustive";
  const Goal goal = under_power(11);
  const SearchSummary summary = tune(space, goal, board, options);
  EXPECT_DOUBLE_EQ(objective_value(goal, *summary.answer), optimum(goal, {4, 16}));
}

// label: slow
TEST(Auto, IsWithinAFewPercentAfterTwelveProfiles) {
  const SearchSpace space(small_board(), {16});
  for (const auto objective : {Objective::kTime, Objective::kEnergy, Objective::kEdp}) {
    for (const double power : {10.0, 11.0, 14.0, 18.0, 40.0}) {
      Goal goal = under_power(power);
      goal.objective = objective;
      SmallBoard board;
      StrategyOptions options;
      options.budget.profiles = 12;
      const SearchSummary summary = tune(space, goal, board, options);
      ASSERT_TRUE(summary.feasible);
      EXPECT_LT(objective_value(goal, *summary.answer) / optimum(goal), 1.05)
          << name_of(objective) << " under " << power << " W";
    }
  }
}

TEST(Auto, SlowdownProfilesItsReferenceFirst) {
  const SearchSpace space(small_board(), {16});
  Goal goal;
  goal.objective = Objective::kEnergy;
  goal.limits.slowdown = 0.1;
  SmallBoard board;
  const SearchSummary summary = tune(space, goal, board, {});
  ASSERT_TRUE(summary.feasible);
  EXPECT_EQ(summary.steps.front().seen.point, space[space.top()]);
  const double fastest = small_board_run(space[space.top()]).time_s;
  EXPECT_LE(summary.answer->time_s, 1.1 * fastest);
}

TEST(Auto, NoSolutionNamesTheNearestMiss) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  const SearchSummary summary = tune(space, under_power(1), board, {});
  EXPECT_FALSE(summary.feasible);
  ASSERT_TRUE(summary.miss);
  double least = 1e9;
  const Sweep sweep = small_board_sweep();
  for (const auto& row : sweep.observations) least = std::min(least, row.power_w);
  EXPECT_LT(summary.miss->power_w, 1.1 * least);
}

TEST(Auto, PointsThatCannotRunAreLeftOut) {
  const SearchSpace space(small_board(), {4, 16, 64});
  SmallBoard board(64);
  StrategyOptions options;
  options.budget.profiles = 20;
  const SearchSummary summary = tune(space, under_power(14), board, options);
  ASSERT_TRUE(summary.feasible);
  EXPECT_NE(summary.answer->point.batch, 64);
  int asked = 0;
  for (const auto& [point, times] : board.asked()) {
    EXPECT_TRUE(point.batch != 64 || times == 1);
    asked += point.batch == 64;
  }
  EXPECT_LE(asked, 1);
}

TEST(Auto, KnownObservationsAnswerForFree) {
  const SearchSpace space(small_board(), {16});
  SmallBoard first;
  const SearchSummary before = tune(space, under_power(12), first, {});
  StrategyOptions options;
  for (const auto& step : before.steps) options.known.push_back(step.seen);
  options.budget.profiles = 1;
  SmallBoard second;
  const Goal goal = under_power(12);
  const SearchSummary after = tune(space, goal, second, options);
  EXPECT_LE(objective_value(goal, *after.answer), objective_value(goal, *before.answer));
  EXPECT_LE(after.steps.size(), 1u);
}

TEST(Auto, AReferenceSavesProfilesAndABadOneDoesNoHarm) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  auto good = std::make_shared<SurrogatePrior>(space);
  good->add_reference(space, small_board_sweep().observations);
  StrategyOptions options;
  options.budget.profiles = 4;
  options.prior = good;
  const Goal goal = under_power(12);
  EXPECT_NEAR(objective_value(goal, *tune(space, goal, board, options).answer), optimum(goal),
              0.01 * optimum(goal));
  auto wrong = small_board_sweep();
  std::vector<Observation> shuffled = wrong.observations;
  Random(3).shuffle(shuffled);
  for (std::size_t i = 0; i < shuffled.size(); ++i) {
    wrong.observations[i].time_s = shuffled[i].time_s;
    wrong.observations[i].power_w = shuffled[i].power_w;
  }
  auto bad = std::make_shared<SurrogatePrior>(space);
  bad->add_reference(space, wrong.observations);
  options.prior = bad;
  options.budget.profiles = 15;
  const SearchSummary summary = tune(space, goal, board, options);
  ASSERT_TRUE(summary.feasible);
  EXPECT_LT(objective_value(goal, *summary.answer) / optimum(goal), 1.1);
}

// One search without a goal answers questions about serving at any rate, because each batch has its
// own front.
TEST(Als, LearnsTheFrontOfEveryBatch) {
  const std::vector<int> batches = {1, 4, 16, 64};
  const SearchSpace space(small_board(), batches);
  const Sweep sweep = small_board_sweep(batches);
  SmallBoard board;
  StrategyOptions options;
  options.strategy = "als";
  options.budget.profiles = 45;  // of 900 points
  const SearchSummary summary = tune(space, {}, board, options);
  std::vector<Observation> seen;
  for (const auto& step : summary.steps) seen.push_back(step.seen);
  int solvable = 0, solved = 0;
  for (const double rate : {5.0, 10.0, 15.0, 20.0}) {
    for (const double latency_s : {0.15, 0.3, 1.0, 3.0}) {
      for (const double power_w : {7.0, 8.0, 10.0, 14.0, 20.0}) {
        Goal goal = under_power(power_w);
        goal.objective = Objective::kLatency;
        goal.limits.latency_s = latency_s;
        goal.rate_hz = rate;
        if (!best_feasible(goal, sweep.observations)) continue;
        ++solvable;
        solved += best_feasible(goal, seen).has_value();
      }
    }
  }
  EXPECT_GE(solvable, 30);
  EXPECT_GE(solved, 0.95 * solvable);
}

TEST(Ogd, DescendsFromTheHighestClocks) {
  const SearchSpace space(small_board(), {16});
  std::vector<double> penalties;
  for (const double power : {8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 18.0, 40.0}) {
    const Goal goal = under_power(power);
    StrategyOptions options;
    options.strategy = "ogd";
    SmallBoard board;
    const SearchSummary summary = tune(space, goal, board, options);
    EXPECT_EQ(summary.steps.front().seen.point, space[space.top()]);
    ASSERT_TRUE(summary.feasible) << power;
    penalties.push_back(objective_value(goal, *summary.answer) / optimum(goal) - 1);
  }
  EXPECT_LE(median(penalties), 0.05);
  EXPECT_NEAR(penalties.back(), 0, 1e-12);  // the last limit allows the top mode
}

// The best of many noisy measurements is probably an outlier. A model of all measurements does not
// trust it.
// label: slow
TEST(Tune, NoisyMeasurementsSeldomBreakTheBudget) {
  const SearchSpace space(small_board(), {16});
  const Goal goal = under_power(11);
  for (const char* strategy : {"als", "gmd", "random", "auto"}) {
    int answered = 0, broken = 0, lucky_broken = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      ReplayProfiler board =
          ReplayProfiler(small_board_sweep()).with_noise({0.05, 0.02, 1000 + seed});
      StrategyOptions options;
      options.strategy = strategy;
      options.budget.profiles = 40;
      options.noise = 0.05;
      options.seed = seed;
      const SearchSummary summary = tune(space, goal, board, options);
      std::vector<Observation> seen;
      for (const auto& step : summary.steps) seen.push_back(step.seen);
      const auto lucky = best_feasible(goal, seen);
      if (lucky) lucky_broken += small_board_run(seen[*lucky].point).power_w > 11 ? 1 : 0;
      if (!summary.answer) continue;
      ++answered;
      broken += small_board_run(summary.answer->point).power_w > 11 ? 1 : 0;
    }
    EXPECT_GE(answered, 36) << strategy;
    EXPECT_LE(broken, 3) << strategy;
    EXPECT_GE(lucky_broken, 3 * broken) << strategy;
  }
}

TEST(Tune, BudgetsAndNamesAreChecked) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  StrategyOptions options;
  options.strategy = "luck";
  EXPECT_THROW(tune(space, {}, board, options), UsageError);
  options.strategy = "auto";
  options.budget.profiles = 0;
  EXPECT_THROW(tune(space, {}, board, options), UsageError);
  options.budget.profiles = 15;
  options.budget.time_s = 1e-9;  // the time is over after one profile
  const SearchSummary summary = tune(space, {}, board, options);
  EXPECT_EQ(summary.steps.size(), 1u);
  EXPECT_EQ(summary.stop_reason, StopReason::kTime);
}

// A profile that has begun is completed, which may exceed the budget.
TEST(Tune, AnExceededTimeBudgetIsStated) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  StrategyOptions options;
  options.strategy = "maxn";
  const double profile_s = tune(space, {}, board, options).board_time_s;
  EXPECT_GT(profile_s, 0);
  const auto stop_at = [&](double budget_s) {
    options.budget.time_s = budget_s;
    return tune(space, {}, board, options).stop;
  };
  EXPECT_NE(stop_at(profile_s / 3).find("exceeded: the profiles took"), std::string::npos)
      << stop_at(profile_s / 3);
  EXPECT_EQ(stop_at(profile_s / 1.05).find("exceeded"), std::string::npos);
  EXPECT_EQ(stop_at(2 * profile_s).find("exceeded"), std::string::npos);
}

TEST(Tune, AGainNotWorthAProfileEndsAuto) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  StrategyOptions options;
  options.budget.profiles = 100;
  options.min_gain = 0.5;  // no point improves by a factor of 2
  const SearchSummary summary = tune(space, under_power(14), board, options);
  EXPECT_EQ(summary.stop_reason, StopReason::kNoGain);
  EXPECT_LT(summary.steps.size(), 20u);
}

TEST(Tune, AProfileThatCostsMoreThanTheJobCanSaveIsNotMade) {
  const SearchSpace space(small_board(), {16});
  for (const Objective objective : {Objective::kTime, Objective::kEnergy}) {
    Goal goal = under_power(12);
    goal.objective = objective;
    std::size_t before = 0;
    for (const double job_samples : {1e3, 1e5, 1e8}) {
      SmallBoard board;
      StrategyOptions options;
      options.budget.profiles = 100;
      options.job_samples = job_samples;
      const SearchSummary summary = tune(space, goal, board, options);
      EXPECT_GE(summary.steps.size(), before) << job_samples;
      EXPECT_EQ(summary.stop_reason, StopReason::kNoGain) << job_samples;
      before = summary.steps.size();
    }
    EXPECT_GT(before, 10U);
  }
}

TEST(Tune, AutoEndsWhenItsAnswerIsProbablyNearTheBest) {
  const SearchSpace space(small_board(), {16});
  int ended = 0, near = 0;
  for (double power = 8; power <= 20; power += 0.5) {
    SmallBoard board;
    StrategyOptions options;
    options.budget.profiles = 60;
    options.near_best = 0.9;
    const Goal goal = under_power(power);
    const SearchSummary summary = tune(space, goal, board, options);
    if (summary.stop_reason != StopReason::kNearBest) continue;
    ++ended;
    EXPECT_LT(summary.steps.size(), 60u);
    ASSERT_TRUE(summary.near_best);
    EXPECT_GE(*summary.near_best, 0.9);
    near += objective_value(goal, *summary.answer) <= (1 + kNearBest) * optimum(goal) ? 1 : 0;
  }
  EXPECT_GE(ended, 20);
  EXPECT_GE(near, 0.85 * ended);
}

TEST(Tune, MoreProfilesMakeTheAnswerMoreCertain) {
  const SearchSpace space(small_board(), {4, 16});
  const auto stated = [&](int profiles) {
    double sum = 0;
    for (const double power : {10.0, 12.0, 14.0, 16.0}) {
      SmallBoard board;
      StrategyOptions options;
      options.budget.profiles = profiles;
      sum += tune(space, under_power(power), board, options).near_best.value();
    }
    return sum / 4;
  };
  EXPECT_LT(stated(4) + 0.2, stated(30));
}

TEST(Tune, AStrategyWithoutBeliefsStatesNoProbability) {
  const SearchSpace space(small_board(), {16});
  SmallBoard board;
  EXPECT_FALSE(tune(space, under_power(12), board, {.strategy = "random"}).near_best);
  EXPECT_FALSE(tune(space, under_power(0.1), board, StrategyOptions()).near_best);
}

}  // namespace
}  // namespace ridgewatt::tune
