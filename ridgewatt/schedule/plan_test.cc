#include "ridgewatt/schedule/plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

// Computed by hand: at 10 requests per second, a batch of 4 is complete 0.3 s after its first
// request, and the period is 0.4 s. Inference takes 0.1 s, which leaves 0.3 s: three training
// minibatches of 0.1 s.
TEST(Cycle, HandComputed) {
  Candidate candidate;
  candidate.inference = {4, 0.1, 20};
  candidate.background = Round::of({16, 0.1, 30});
  const Cycle cycle = make_cycle(candidate, 10, Bound::kExact);
  EXPECT_TRUE(cycle.stable);
  EXPECT_EQ(cycle.training_minibatches, 3);
  EXPECT_DOUBLE_EQ(cycle.training_throughput_hz, 7.5);
  EXPECT_NEAR(cycle.latency_s, 0.4, 1e-12);
  EXPECT_NEAR(make_cycle(candidate, 10, Bound::kPublished).latency_s, 0.5, 1e-12);
  EXPECT_NEAR(make_cycle(candidate, 10, Bound::kStrict).latency_s, 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(cycle.peak_power_w, 30);
  EXPECT_NEAR(cycle.busy_power_w, (0.1 * 20 + 0.3 * 30) / 0.4, 1e-12);
  EXPECT_NEAR(cycle.utilization, 1, 1e-12);
  EXPECT_FALSE(make_cycle(candidate, 41, Bound::kExact).stable);
}

// Computed by hand: a batch of 4 takes 0.5 s, and one arrives every 0.2 s. The device is never
// idle, so it draws the power of inference, 20 W, and not the 50 W of 10 J per 0.2 s.
TEST(Cycle, AnOverloadDrawsNoMoreThanItsPeak) {
  Candidate candidate;
  candidate.inference = {4, 0.5, 20};
  candidate.background = Round::of({16, 0.1, 10});
  candidate.idle_power_w = 5;
  const Cycle cycle = make_cycle(candidate, 20, Bound::kStrict);
  EXPECT_FALSE(cycle.stable);
  EXPECT_DOUBLE_EQ(cycle.mean_power_w, 20);
  EXPECT_DOUBLE_EQ(cycle.utilization, 1);
}

// Training that never runs does not count. In the gaps of a stable cycle, training may run.
TEST(Cycle, AnOverloadHasThePeakOfItsInference) {
  Candidate candidate;
  candidate.inference = {4, 0.5, 20};
  candidate.background = Round::of({16, 0.1, 50});
  EXPECT_DOUBLE_EQ(make_cycle(candidate, 20, Bound::kExact).peak_power_w, 20);
  EXPECT_EQ(plan_with(candidate, {.arrival_rate_hz = 20, .max_latency_s = 1, .max_power_w = 30})
                .miss.find("power"),
            std::string::npos);
  candidate.inference->time_s = 0.15;  // of 0.2 s: no whole training minibatch fits
  const Cycle stable = make_cycle(candidate, 20, Bound::kExact);
  EXPECT_EQ(stable.training_minibatches, 0);
  EXPECT_DOUBLE_EQ(stable.peak_power_w, 50);
}

// For every plan, feasible or not, the mean power is between the idle power and the peak.
TEST(PlanTable, NoMeanPowerIsAboveThePeak) {
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    std::vector<Candidate> candidates = join_sweeps(testing::random_workloads(random, 20));
    set_idle_power(candidates, random.uniform(0, 40));
    const PlanTable table(candidates);
    for (const double rate_hz : {0.1, 5.0, 60.0, 5000.0}) {
      for (const double power_w : {3.0, 12.0, 60.0}) {
        const Plan plan =
            table.best({.arrival_rate_hz = rate_hz, .max_latency_s = 0.2, .max_power_w = power_w});
        EXPECT_LE(plan.cycle.mean_power_w, plan.cycle.peak_power_w * (1 + 1e-12)) << rate_hz;
        EXPECT_GE(plan.cycle.mean_power_w, plan.candidate.idle_power_w * (1 - 1e-12)) << rate_hz;
        EXPECT_EQ(plan.miss.find("overload") != std::string::npos,
                  !plan.feasible && !plan.cycle.stable);
      }
    }
  }
}

// A batch of 1 exceeds its period by 4 %, a batch of 4 the latency by 20 %. Only the second serves
// the requests.
TEST(PlanTable, TheNearestMissServesTheRequestsIfAnyPointDoes) {
  Candidate one, four, slow;
  one.inference = {1, 0.01733, 20};
  four.inference = {4, 0.022, 20};
  slow.inference = {4, 0.5, 20};
  const PlanProblem problem{.arrival_rate_hz = 60, .max_latency_s = 0.06};
  Plan plan = PlanTable({one, four, slow}).best(problem);
  EXPECT_EQ(plan.candidate.infer().batch, 4);
  EXPECT_TRUE(plan.cycle.stable);
  EXPECT_EQ(plan.miss.find("overload"), std::string::npos) << plan.miss;
  plan = PlanTable({one, slow}).best(problem);
  EXPECT_EQ(plan.candidate.infer().batch, 1);
  EXPECT_NE(plan.miss.find("overload"), std::string::npos) << plan.miss;
}

// The same cycle with switches of 40 ms: the switches to inference and back to training take 80 ms
// of the remaining 300 ms, so two minibatches fit. With the strict bound, the batch waits for a
// training minibatch and for both switches.
TEST(Cycle, SwitchesTakeTimeToo) {
  Candidate candidate;
  candidate.inference = {4, 0.1, 20};
  candidate.background = Round::of({16, 0.1, 30});
  candidate.switch_s = 0.04;
  const Cycle cycle = make_cycle(candidate, 10, Bound::kExact);
  EXPECT_EQ(cycle.training_minibatches, 2);
  EXPECT_NEAR(cycle.latency_s, 0.44, 1e-12);
  EXPECT_NEAR(make_cycle(candidate, 10, Bound::kStrict).latency_s, 0.58, 1e-12);
  EXPECT_NEAR(cycle.utilization, (0.14 + 0.04 + 0.2) / 0.4, 1e-12);
  // Two training programs alternate, so every minibatch follows another program's and a round takes
  // 280 ms.
  candidate.background->add({16, 0.1, 30}, 3, 0);
  EXPECT_NEAR(round_switch_s(candidate), 0.08, 1e-12);
  EXPECT_EQ(make_cycle(candidate, 10, Bound::kExact).training_minibatches, 0);
  candidate.switch_s = 0.02;
  EXPECT_EQ(make_cycle(candidate, 10, Bound::kExact).training_minibatches, 1);
  candidate.inference.reset();
  EXPECT_NEAR(make_cycle(candidate, 10, Bound::kExact).training_throughput_hz, 1 / 0.24, 1e-9);
  // Inference alone never switches.
  candidate.inference = {4, 0.1, 20};
  candidate.background.reset();
  EXPECT_NEAR(make_cycle(candidate, 10, Bound::kStrict).latency_s, 0.4, 1e-12);
}

// The formulas of the problem, implemented again without pruning.
struct BruteForce {
  bool feasible = false;
  double throughput = 0;
  double latency_s = 0;
};
BruteForce brute_force(const std::vector<Candidate>& candidates, const PlanProblem& problem) {
  BruteForce best;
  for (const auto& candidate : candidates) {
    const Minibatch& infer = *candidate.inference;
    const Round& train = *candidate.background;
    const double period = infer.batch / problem.arrival_rate_hz;
    const double latency = (infer.batch - 1) / problem.arrival_rate_hz + infer.time_s +
                           (problem.bound == Bound::kStrict ? train.time_s : 0);
    if (infer.time_s > period || latency > problem.max_latency_s ||
        std::max(infer.power_w, train.power_w) > problem.max_power_w) {
      continue;
    }
    const double throughput = std::floor((period - infer.time_s) / train.time_s) / period;
    if (!best.feasible || throughput > best.throughput ||
        (throughput == best.throughput && latency < best.latency_s)) {
      best = {true, throughput, latency};
    }
  }
  return best;
}

TEST(PlanTable, EqualsBruteForceOnRandomInstances) {
  Random random(7);
  int feasible = 0;
  for (int instance = 0; instance < 200; ++instance) {
    const auto candidates = join_sweeps(testing::random_workloads(random, 40));
    const PlanTable table(candidates);
    for (int i = 0; i < 20; ++i) {
      PlanProblem problem;
      problem.arrival_rate_hz = random.uniform(5, 150);
      problem.max_latency_s = random.uniform(0.05, 2);
      problem.max_power_w = random.uniform(8, 60);
      problem.bound = i % 2 == 0 ? Bound::kStrict : Bound::kExact;
      const Plan plan = table.best(problem);
      const BruteForce expected = brute_force(candidates, problem);
      ASSERT_EQ(plan.feasible, expected.feasible);
      if (!plan.feasible) {
        EXPECT_GT(plan.violation, 0);
        EXPECT_FALSE(plan.miss.empty());
        continue;
      }
      ++feasible;
      EXPECT_NEAR(plan.cycle.training_throughput_hz, expected.throughput, 1e-9);
      EXPECT_NEAR(plan.cycle.latency_s, expected.latency_s, 1e-9);
    }
  }
  EXPECT_GT(feasible, 500);
}

TEST(PlanTable, OneSideAbsent) {
  Random random(3);
  const auto workloads = testing::random_workloads(random, 60);
  const PlanTable training(join_sweeps({{}, workloads.background}));
  const Plan fastest = training.best({.max_power_w = 30});
  ASSERT_TRUE(fastest.feasible);
  for (const auto& observation : workloads.background[0].sweep.observations) {
    if (observation.power_w > 30) continue;
    EXPECT_LE(1 / observation.time_s, fastest.cycle.training_throughput_hz * (1 + 1e-12));
  }
  const PlanTable inference(join_sweeps({workloads.inference, {}}));
  const PlanProblem problem{.arrival_rate_hz = 20, .max_latency_s = 1, .max_power_w = 40};
  const Plan quickest = inference.best(problem);
  ASSERT_TRUE(quickest.feasible);
  EXPECT_EQ(quickest.cycle.training_minibatches, 0);
  for (const auto& row : workloads.inference->observations) {
    const int batch = row.point.batch;
    if (row.power_w > 40 || row.time_s > batch / 20.0) continue;
    EXPECT_GE((batch - 1) / 20.0 + row.time_s, quickest.cycle.latency_s - 1e-12);
  }
}

TEST(PlanTable, NonUrgentInferenceInPlaceOfTraining) {
  Random random(5);
  const auto workloads = testing::random_workloads(random, 60);
  ScheduleWorkloads two{workloads.inference, {{*workloads.inference, 5.0}}};
  two.background[0].sweep.workload = "other";
  const Plan plan = PlanTable(join_sweeps(two)).best({.arrival_rate_hz = 10, .max_latency_s = 2});
  ASSERT_TRUE(plan.feasible);
  // The samples per second of the non-urgent stream must cover its arrivals.
  EXPECT_GE(plan.cycle.training_throughput_hz * plan.candidate.background->samples, 5.0);
}

TEST(PlanTable, ImpossibleProblemsNameTheMiss) {
  Random random(11);
  const PlanTable table(join_sweeps(testing::random_workloads(random, 30)));
  const Plan plan = table.best({.arrival_rate_hz = 10, .max_latency_s = 1e-6, .max_power_w = 1e-3});
  EXPECT_FALSE(plan.feasible);
  EXPECT_NE(plan.miss.find("power"), std::string::npos);
  EXPECT_THROW(table.best({.arrival_rate_hz = -1}), UsageError);
  EXPECT_THROW(table.best({.arrival_rate_hz = 1, .max_power_w = NAN}), UsageError);
}

TEST(PlanTable, GivenSweepsJoinAndLooserBudgetsNeverLose) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto data = testing::shared_folder() / "data" / "agx-orin";
  ScheduleWorkloads workloads;
  workloads.inference = read_sweep((data / "inference/resnet50.csv").string());
  workloads.background.push_back({read_sweep((data / "training/resnet18.csv").string()), 0});
  const auto candidates = join_sweeps(workloads);
  EXPECT_EQ(candidates.size(), 2205u);
  const PlanTable table(candidates);
  for (double rate = 30; rate <= 120; rate += 30) {
    double before = 0;
    for (double power = 10; power <= 50; ++power) {
      const double best = table.best_throughput({rate, 1.0, power, Bound::kStrict}).value_or(0);
      EXPECT_GE(best, before);
      before = best;
    }
    EXPECT_GT(before, 0);
  }
}

// A bound of 300 ms leaves 300 - 50 - 100 = 150 ms to collect requests: 16 requests at 100 per
// second.
TEST(EarlyDispatch, GathersWhatTheBoundLeavesTimeFor) {
  Candidate candidate;
  candidate.inference = {.batch = 32, .time_s = 0.05};
  candidate.background = Round::of({.batch = 16, .time_s = 0.1});
  const EarlyDispatch early = early_dispatch(candidate, 100, 0.3);
  EXPECT_NEAR(early.requests, 16, 1e-9);
  EXPECT_NEAR(early.fill_hz, (1 - 0.05 * 100 / 16) / 0.1, 1e-9);
  // With enough time, the batch fills, and the closed form of full batches applies.
  EXPECT_NEAR(early_dispatch(candidate, 100, 2).requests, 32, 1e-9);
  EXPECT_NEAR(early_dispatch(candidate, 100, 2).fill_hz, fill_throughput_hz(candidate, 100), 1e-9);
}

}  // namespace
}  // namespace ridgewatt::schedule
