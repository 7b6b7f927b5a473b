#include "ridgewatt/schedule/plan_search.h"

#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

ScheduleWorkloads made_up(std::uint64_t seed) {
  Random random(seed);
  return testing::random_workloads(random, testing::small_space().size());
}

PlanSearchSummary search(const PlanSpace& space, const PlanProblem& problem,
                         const std::string& strategy, int profiles, std::uint64_t seed = 1) {
  PlanSearchOptions options;
  options.strategy = strategy;
  options.profiles = profiles;
  options.seed = seed;
  return PlanSearch(space, problem, replay(space), options).run();
}

// label: slow
TEST(PlanSearch, EveryStrategyKeepsItsBudgetAndItsLimits) {
  const PlanSpace space(join_sweeps(made_up(1)));
  const PlanProblem problem{.arrival_rate_hz = 30, .max_latency_s = 1, .max_power_w = 25};
  const Plan optimum = PlanTable(space.candidates()).best(problem);
  ASSERT_TRUE(optimum.feasible);
  for (const auto strategy : plan_strategy_names()) {
    const auto summary = search(space, problem, std::string(strategy), 15);
    const std::size_t budget = strategy == "exhaustive" ? space.points().size() : 15;
    EXPECT_LE(summary.profiled.size(), budget) << strategy;
    const std::set<std::size_t> distinct(summary.profiled.begin(), summary.profiled.end());
    EXPECT_EQ(distinct.size(), summary.profiled.size()) << strategy;
    if (!summary.plan.feasible) continue;
    EXPECT_LE(summary.plan.cycle.peak_power_w, 25) << strategy;
    EXPECT_LE(summary.plan.cycle.latency_s, 1) << strategy;
    EXPECT_LE(summary.plan.cycle.training_throughput_hz,
              optimum.cycle.training_throughput_hz * (1 + 1e-12));
    const auto answer = space.points().find(summary.plan.candidate.point());
    EXPECT_TRUE(answer && distinct.contains(*answer)) << strategy;  // the answer was profiled
  }
  EXPECT_NEAR(search(space, problem, "exhaustive", 1).plan.cycle.training_throughput_hz,
              optimum.cycle.training_throughput_hz, 1e-12);
}

// label: slow
TEST(PlanSearch, AutoComesCloseToTheOptimum) {
  std::vector<double> losses;
  int solvable = 0, solved = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const PlanSpace space(join_sweeps(made_up(seed)));
    const PlanTable table(space.candidates());
    for (const double power : {16.0, 22.0, 30.0}) {
      for (const double rate : {20.0, 60.0}) {
        const PlanProblem problem{rate, 1.0, power, Bound::kStrict};
        const auto optimum = table.best_throughput(problem);
        if (!optimum) continue;
        ++solvable;
        const auto summary = search(space, problem, "auto", 15, seed);
        if (!summary.plan.feasible) continue;
        ++solved;
        if (*optimum > 0) {
          losses.push_back(1 - summary.plan.cycle.training_throughput_hz / *optimum);
        }
      }
    }
  }
  ASSERT_GT(solvable, 8);
  EXPECT_GE(solved, solvable - 1);
  EXPECT_LT(mean(losses), 0.1);
}

TEST(PlanSearch, SameSeedSamePointsAndKnownPointsAreFree) {
  const PlanSpace space(join_sweeps(made_up(2)));
  const PlanProblem problem{.arrival_rate_hz = 40, .max_latency_s = 1, .max_power_w = 22};
  const auto first = search(space, problem, "auto", 8);
  EXPECT_EQ(first.profiled, search(space, problem, "auto", 8).profiled);
  PlanSearchOptions options;
  options.profiles = 4;
  options.known = first.profiled;
  const auto more = PlanSearch(space, problem, replay(space), options).run();
  EXPECT_LE(more.profiled.size(), 4u);
  for (const std::size_t point : more.profiled) {
    EXPECT_EQ(std::count(first.profiled.begin(), first.profiled.end(), point), 0);
  }
}

// A user-defined strategy that profiles one point after another.
TEST(PlanSearch, AUsersOwnStrategyIsAFunctionAndARow) {
  const PlanSpace space(join_sweeps(made_up(1)));
  const PlanProblem problem{.arrival_rate_hz = 20, .max_latency_s = 1, .max_power_w = 30};
  const PlanStrategy upwards{.name = "upwards", .run = [](PlanSearch& search) {
                               for (std::size_t i = 0; i < search.space().size(); ++i) {
                                 if (search.untried(i)) search.profile(i, "the next");
                               }
                             }};
  PlanSearchOptions options;
  options.profiles = 6;
  PlanSearch search(space, problem, replay(space), options);
  const PlanSearchSummary summary = search.run(upwards);
  EXPECT_EQ(summary.strategy, "upwards");
  ASSERT_EQ(summary.profiled.size(), 6u);
  EXPECT_EQ(summary.stop_reason, tune::StopReason::kBudget);
  // The best of the six points, computed by the plan table without a search.
  std::vector<Candidate> seen;
  for (const std::size_t point : summary.profiled) seen.push_back(space.candidates()[point]);
  const Plan best = PlanTable(seen).best(problem);
  EXPECT_EQ(summary.plan.feasible, best.feasible);
  EXPECT_EQ(summary.plan.candidate.point(), best.candidate.point());
}

TEST(PlanSearch, EveryRowIsDescribedAndNamedOnce) {
  std::set<std::string_view> names;
  for (const auto& row : plan_strategies()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_EQ(&find_plan_strategy(row.name), &row);
  }
}

TEST(PlanSearch, OneSideAbsent) {
  const auto workloads = made_up(3);
  const PlanSpace training(join_sweeps({{}, workloads.background}));
  const auto fastest = search(training, {.max_power_w = 20}, "auto", 10);
  ASSERT_TRUE(fastest.plan.feasible);
  const auto best = PlanTable(training.candidates()).best({.max_power_w = 20});
  EXPECT_GT(fastest.plan.cycle.training_throughput_hz, 0.8 * best.cycle.training_throughput_hz);
  const PlanSpace inference(join_sweeps({workloads.inference, {}}));
  const PlanProblem problem{.arrival_rate_hz = 30, .max_latency_s = 0.5, .max_power_w = 25};
  const auto quickest = search(inference, problem, "auto", 15);
  ASSERT_TRUE(quickest.plan.feasible);
  EXPECT_LT(quickest.plan.cycle.latency_s,
            1.5 * PlanTable(inference.candidates()).best(problem).cycle.latency_s);
}

TEST(PlanSearch, BadOptions) {
  const PlanSpace space(join_sweeps(made_up(4)));
  EXPECT_THROW(search(space, {.arrival_rate_hz = 1}, "best", 15), UsageError);
  EXPECT_THROW(search(space, {.arrival_rate_hz = 1}, "auto", 0), UsageError);
  EXPECT_THROW(search(space, {}, "auto", 15), UsageError);
}

}  // namespace
}  // namespace ridgewatt::schedule
