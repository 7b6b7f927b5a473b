#include "ridgewatt/schedule/dynamic.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

TEST(RateEstimator, FollowsAJumpAndIsCalmOtherwise) {
  const RateEstimator estimator;
  Random random(1);
  auto arrivals = poisson_arrivals(20, 60, random);
  EXPECT_NEAR(estimator.estimate(60, arrivals), 20, 5);
  for (const double t : poisson_arrivals(100, 10, random)) arrivals.push_back(60 + t);
  EXPECT_GT(estimator.estimate(64, arrivals), 70);  // four seconds after the jump
  EXPECT_DOUBLE_EQ(estimator.estimate(0, {}), 0);
  EXPECT_DOUBLE_EQ(estimator.estimate(1000, arrivals), 0);
}

TEST(RateEstimator, AJumpUpwardsIsNotAveragedAway) {
  auto arrivals = constant_arrivals(10, 60);
  for (const double t : constant_arrivals(120, 1.2)) arrivals.push_back(60 + t);
  EXPECT_GT(RateEstimator().estimate(61.2, arrivals), 100);
}

class DynamicTest : public ::testing::Test {
 protected:
  DynamicTest() {
    Random random(2);
    candidates_ = join_sweeps(testing::random_workloads(random, testing::small_space().size()));
    problem_ = {.arrival_rate_hz = 10, .max_latency_s = 0.8, .max_power_w = 24};
    simulation_.duration_s = 900;
  }
  DynamicSummary run(const std::vector<double>& arrivals, const DynamicOptions& options) const {
    PlanBook book(candidates_, problem_, dynamic_simulation(simulation_, problem_, options));
    return run_dynamic(book, candidates_, arrivals, simulation_, options);
  }
  std::vector<Candidate> candidates_;
  PlanProblem problem_;
  SimulationOptions simulation_;
};

// label: slow
TEST_F(DynamicTest, MeetsTheBoundOnBurstyTracesNearThePossible) {
  Random random(3);
  const auto arrivals = bursty_arrivals({}, 900, random);
  const auto summary = run(arrivals, {});
  ASSERT_GT(summary.feasible, 10u);
  EXPECT_GE(summary.possible, summary.feasible);
  EXPECT_GE(summary.met_share(summary.policy), 0.95);
  EXPECT_LT(summary.policy.least_regret(), 0.1);
  EXPECT_LE(summary.policy.least_regret(), summary.policy.regret());
  EXPECT_LE(summary.highest_share_of_bound, 1);
  EXPECT_LE(summary.dynamic.peak_power_w, 24);
}

TEST_F(DynamicTest, SteadyArrivalsKeepTheirPlan) {
  const auto arrivals = constant_arrivals(40, 300);
  simulation_.duration_s = 300;
  DynamicOptions options;
  options.initial_rate_hz = 40;
  const auto summary = run(arrivals, options);
  EXPECT_LE(summary.plans_changed, 2u);
  EXPECT_EQ(summary.dynamic.violations, 0u);
}

TEST_F(DynamicTest, NoModeWithinThePowerBudget) {
  problem_.max_power_w = 1;
  EXPECT_THROW(run({}, {}), NoSolutionError);
  problem_.max_power_w = 24;
  DynamicOptions bad;
  bad.headroom = -1;
  EXPECT_THROW(run({}, bad), UsageError);
}

}  // namespace
}  // namespace ridgewatt::schedule
