// Tests a search on a program that keeps running: which modes may run, which results become stale
// by drift, and what ends the search. Uses the small board of the other tests of searches.
#include "ridgewatt/tune/in_place_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/tune/board_fixture.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

using testing::small_board;
using testing::small_board_run;

constexpr double kLimitW = 12;

Goal under_limit() {
  Goal goal;
  goal.limits.power_w = kLimitW;
  return goal;
}

// A board with a running program: the search must leave a mode above the limit, times and powers
// may change from some profile on, and the program may end.
class RunningBoard : public Profiler {
 public:
  Observation profile(const OperatingPoint& point) override {
    if (asked_.size() == ends_after) throw ProgramEndedError("the program ended");
    if (asked_.size() == drifts_after && !drifted_) {
      drifted_ = true;
      throw DriftedError("drift", time_factor, power_factor);
    }
    Observation seen = small_board_run(point);
    if (drifted_) seen.time_s *= time_factor, seen.power_w *= power_factor;
    asked_.push_back(point);
    if (seen.power_w > limit_w) {
      left_.push_back(point);
      throw OverLimitError("above the limit", "a mode", seen.power_w);
    }
    if (drifted_) fresh_.insert(point);
    return seen;
  }
  Provenance provenance() const override { return Provenance::kModelled; }

  std::size_t ends_after = 1000, drifts_after = 1000;
  double time_factor = 1, power_factor = 1, limit_w = kLimitW;
  std::vector<OperatingPoint> asked_, left_;
  std::set<OperatingPoint> fresh_;  // measured since the drift
  bool drifted_ = false;
};

InPlaceSearchOptions options_of(std::string_view strategy, int profiles = 12) {
  InPlaceSearchOptions options;
  options.strategy.strategy = strategy;
  options.strategy.budget.profiles = profiles;
  return options;
}

TEST(SafeSet, BeginsWithTheLeastAndKnowsWhatItSaw) {
  const SearchSpace space(small_board(), {16});
  const auto prior = std::make_shared<const SurrogatePrior>(space);
  SafeSet safe(space, prior, {.limit_w = kLimitW});
  auto flags = safe.allowed();
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), 1);
  EXPECT_EQ(flags[safe.start()], 1);
  EXPECT_EQ(space[safe.start()].mode, small_board().modes().front());
  const Observation least = small_board_run(space[safe.start()]);
  safe.observe(safe.start(), least.time_s, least.power_w);
  flags = safe.allowed();
  const auto first = std::count(flags.begin(), flags.end(), 1);
  EXPECT_GT(first, 1);
  safe.observe_power(space.top(), 40);
  EXPECT_EQ(safe.allowed()[space.top()], 0);
  // All powers rise by 50 %: the set of allowed modes must not grow.
  const auto before = safe.allowed();
  safe.scale(1, 1.5);
  const auto after = safe.allowed();
  for (std::size_t i = 0; i < space.size(); ++i) EXPECT_LE(after[i], before[i]);
}

TEST(SafeSet, WithoutALimitEverythingMayBeRun) {
  const SearchSpace space(small_board(), {16});
  SafeSet safe(space, std::make_shared<const SurrogatePrior>(space), {});
  const auto flags = safe.allowed();
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), static_cast<long>(space.size()));
}

class EveryStrategyInPlace : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategyInPlace, KeepsTheLimitButForWhatItLeavesAtOnce) {
  const SearchSpace space(small_board(), {16});
  RunningBoard board;
  InPlaceSearch search(space, under_limit(), board, options_of(GetParam()));
  const InPlaceResult found = search.run();
  EXPECT_EQ(found.over_limit, static_cast<int>(board.left_.size()));
  // A mode that was left is not tried again.
  for (const auto& left : board.left_) {
    EXPECT_EQ(std::count(board.asked_.begin(), board.asked_.end(), left), 1);
  }
  // Without the safe set, a search starts at the top mode, at three times the limit.
  for (const auto& point : board.asked_) {
    EXPECT_LT(small_board_run(point).power_w, 1.25 * kLimitW);
  }
  if (!found.summary.answer) return;
  EXPECT_LE(found.summary.answer->power_w, kLimitW);
  EXPECT_NE(std::find(board.asked_.begin(), board.asked_.end(), found.summary.answer->point),
            board.asked_.end());
}

TEST_P(EveryStrategyInPlace, AnswersWithWhatWasMeasuredAfterDrift) {
  const SearchSpace space(small_board(), {16});
  RunningBoard board;
  board.drifts_after = 6;
  board.time_factor = 1.3;
  board.power_factor = 1.1;
  InPlaceSearch search(space, under_limit(), board, options_of(GetParam()));
  const InPlaceResult found = search.run();
  if (!board.drifted_) return;  // the strategy ended before the drift
  EXPECT_EQ(found.drifts, 1);
  ASSERT_TRUE(found.summary.answer);
  EXPECT_EQ(board.fresh_.count(found.summary.answer->point), 1u);
  const Observation before = small_board_run(found.summary.answer->point);
  EXPECT_DOUBLE_EQ(found.summary.answer->power_w, 1.1 * before.power_w);
  EXPECT_LE(found.summary.answer->power_w, kLimitW);
}

std::vector<std::string_view> all_strategies() {
  std::vector<std::string_view> names;
  for (const auto& strategy : strategies()) names.push_back(strategy.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategyInPlace, ::testing::ValuesIn(all_strategies()),
                         [](const auto& info) { return std::string(info.param); });

TEST(InPlaceSearch, FindsWhatAFreeSearchFinds) {
  const SearchSpace space(small_board(), {16});
  const Goal goal = under_limit();
  const Sweep sweep = testing::small_board_sweep();
  const double optimum =
      objective_value(goal, sweep.observations[*best_feasible(goal, sweep.observations)]);
  RunningBoard board;
  InPlaceSearch search(space, goal, board, options_of("auto", 15));
  const InPlaceResult found = search.run();
  ASSERT_TRUE(found.summary.answer);
  EXPECT_LE(objective_value(goal, *found.summary.answer), 1.1 * optimum);
  // The answer that is measured again is no profile of the budget.
  EXPECT_GT(found.summary.again, 0u);
  EXPECT_LE(found.summary.steps.size() - found.summary.again, 15u);
}

TEST(InPlaceSearch, AProgramThatEndsLeavesTheBestSoFar) {
  const SearchSpace space(small_board(), {16});
  RunningBoard board;
  board.ends_after = 4;
  board.limit_w = 1000;
  Goal goal;
  goal.objective = Objective::kEnergy;
  InPlaceSearch search(space, goal, board, options_of("random"));
  const InPlaceResult found = search.run();
  EXPECT_TRUE(found.program_ended);
  ASSERT_EQ(board.asked_.size(), 4u);
  ASSERT_TRUE(found.summary.answer);
  for (const auto& point : board.asked_) {
    EXPECT_LE(objective_value(goal, *found.summary.answer),
              objective_value(goal, small_board_run(point)));
  }
}

// A search states the probability that no other point is better only if it may run every point.
TEST(InPlaceSearch, StatesNoProbabilityWhilePointsAreNotKnownToBeSafe) {
  const SearchSpace space(small_board(), {16});
  const double least_w = small_board_run(space[in_place_start(space, under_limit())]).power_w;
  for (const double limit_w : {1.01 * least_w, kLimitW, Limits::kNone}) {
    RunningBoard board;
    board.limit_w = limit_w;
    Goal goal;
    goal.limits.power_w = limit_w;
    const SearchSummary found =
        InPlaceSearch(space, goal, board, options_of("auto", 8)).run().summary;
    ASSERT_TRUE(found.answer) << limit_w;
    EXPECT_EQ(found.near_best.has_value(), limit_w == Limits::kNone) << limit_w;
    if (limit_w == Limits::kNone || found.stop_reason == StopReason::kBudget) continue;
    EXPECT_NE(found.stop.find("known to be safe"), std::string::npos) << found.stop;
  }
}

TEST(InPlaceSearch, APowerLimitForbidsTheTopModeAsAReference) {
  const SearchSpace space(small_board(), {16});
  RunningBoard board;
  Goal goal = under_limit();
  goal.objective = Objective::kEnergy;
  goal.limits.slowdown = 0.1;
  EXPECT_THROW(InPlaceSearch(space, goal, board, options_of("auto")), UsageError);
}

}  // namespace
}  // namespace ridgewatt::tune
