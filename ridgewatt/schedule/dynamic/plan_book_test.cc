#include "ridgewatt/schedule/plan_book.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/schedule_fixture.h"
#include "ridgewatt/schedule/search/clairvoyant.h"
#include "ridgewatt/schedule/search/training_bound.h"

namespace ridgewatt::schedule {
namespace {

class PlanBookTest : public ::testing::Test {
 protected:
  PlanBookTest() {
    Random random(11);
    candidates_ = join_sweeps(testing::random_workloads(random, 20));
    simulation_.fill_idle = simulation_.late_last = true;
    simulation_.max_latency_s = problem_.max_latency_s;
    simulation_.duration_s = 60;
  }
  // The most training of all plans that meet the p99 limit on these arrivals; negative if none
  // does.
  double exhaustive(const std::vector<double>& arrivals, double rate_hz) const {
    const auto plans = dynamic_plans(candidates_, problem_.max_power_w);
    double best = -1;
    for (const auto& plan : plans) {
      const Simulation result =
          simulate(serving_plan_of(plan, plans, rate_hz, problem_.bound), arrivals, simulation_);
      if (result.unserved > 0 || result.p99_s > problem_.max_latency_s) continue;
      best = std::max(best, result.training_throughput_hz);
    }
    return best;
  }
  std::vector<Candidate> candidates_;
  PlanProblem problem_{.arrival_rate_hz = 10, .max_latency_s = 0.8, .max_power_w = 24};
  SimulationOptions simulation_;
};

TEST_F(PlanBookTest, EveryPlanIsWithinThePowerAndComesWithAndWithoutTraining) {
  const auto plans = dynamic_plans(candidates_, 24);
  std::size_t serving = 0;
  for (const auto& plan : plans) {
    EXPECT_LE(plan.peak_power_w(), 24);
    serving += plan.background ? 0 : 1;
  }
  // Serving alone draws less power than serving and training in the same mode.
  EXPECT_GE(2 * serving, plans.size());
  EXPECT_LT(serving, plans.size());
  EXPECT_TRUE(dynamic_plans(candidates_, 0.1).empty());
}

TEST_F(PlanBookTest, TheOracleIsWithinAFewPerCentOfTryingEveryPlan) {
  simulation_.mode_change_s = 0.2;
  for (const double rate_hz : {5.0, 20.0, 60.0, 110.0}) {
    Random random(static_cast<std::uint64_t>(rate_hz));
    const auto arrivals = poisson_arrivals(rate_hz, 60, random);
    const auto windows = clairvoyant_windows(candidates_, problem_, arrivals, simulation_);
    const auto bounds = training_bounds(candidates_, problem_.max_power_w, arrivals, simulation_);
    ASSERT_EQ(windows.size(), 1u);
    ASSERT_EQ(bounds.size(), 1u);
    const double best_hz = exhaustive(arrivals, static_cast<double>(arrivals.size()) / 60);
    if (best_hz >= 0) {
      EXPECT_TRUE(windows.front().feasible) << rate_hz;
      EXPECT_GE(windows.front().training_hz, 0.97 * best_hz) << rate_hz;
    }
    if (windows.front().feasible) {
      EXPECT_TRUE(bounds.front().possible) << rate_hz;
      EXPECT_LE(windows.front().training_hz, bounds.front().training_hz) << rate_hz;
    }
  }
}

// label: slow
TEST_F(PlanBookTest, ChoosesLessTrainingTheMoreArrives) {
  PlanBook book(candidates_, problem_, simulation_);
  double before_hz = 1e9;
  for (const double rate_hz : {2.0, 20.0, 80.0, 10000.0}) {
    const Candidate& plan = book.choose(rate_hz);
    const Trial& trial = book.trial(plan, rate_hz);
    EXPECT_LT(trial.training_hz, before_hz);
    before_hz = trial.training_hz;
  }
  // No plan can serve ten thousand requests per second, so all time goes to serving.
  const Candidate& swamped = book.choose(10000);
  EXPECT_FALSE(swamped.background);
  EXPECT_FALSE(book.meets(swamped, 10000));
  EXPECT_TRUE(book.meets(book.choose(2), 2));
}

}  // namespace
}  // namespace ridgewatt::schedule
