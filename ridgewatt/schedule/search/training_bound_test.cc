#include "ridgewatt/schedule/search/training_bound.h"

#include <gtest/gtest.h>

#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

Candidate candidate(int cores, int batch, double infer_s, double train_s) {
  Candidate result;
  result.mode.cpu_cores = cores;
  result.inference = {batch, infer_s, 10};
  result.background = Round::of({16, train_s, 20});
  return result;
}

SimulationOptions options(double duration_s, double latency_s, double change_s) {
  SimulationOptions result;
  result.duration_s = result.window_s = duration_s;
  result.max_latency_s = latency_s;
  result.mode_change_s = change_s;
  return result;
}

TEST(TrainingBound, WithoutRequestsItIsTheFastestTrainingWithinTheBudget) {
  std::vector<Candidate> modes = {candidate(1, 4, 0.1, 0.5), candidate(2, 4, 0.1, 0.25)};
  modes[1].background->power_w = 30;
  EXPECT_NEAR(training_bounds(modes, 25, {}, options(60, 1, 0.2)).front().training_hz, 2, 1e-6);
  EXPECT_NEAR(training_bounds(modes, 30, {}, options(60, 1, 0.2)).front().training_hz, 4, 1e-6);
  EXPECT_FALSE(training_bounds(modes, 5, {}, options(60, 1, 0.2)).front().possible);
}

// One mode, 20 requests per second, batches of 4 in 100 ms: serving takes half of the time, and
// training takes the other half. One percent of the requests may be late, and the requests of the
// last second may be served after the window.
TEST(TrainingBound, OneModeIsTheShareThatServingLeaves) {
  const std::vector<Candidate> modes = {candidate(1, 4, 0.1, 0.25)};
  const auto arrivals = constant_arrivals(20, 60);
  const auto bound = training_bounds(modes, 25, arrivals, options(60, 1, 0.2)).front();
  EXPECT_TRUE(bound.possible);
  const double fluid_hz = (1 - 20 * 0.1 / 4) / 0.25;
  EXPECT_GE(bound.training_hz, fluid_hz);
  EXPECT_LE(bound.training_hz, fluid_hz + 0.5 * (0.01 + 1.1 / 60) / 0.25 + 1e-6);
}

// At 2 requests per second, a batch of 32 cannot fill in time. At most three requests arrive within
// the bound, so each request costs a third of a minibatch.
TEST(TrainingBound, ABatchHoldsWhatArrivesWithinTheBound) {
  const std::vector<Candidate> modes = {candidate(1, 32, 0.1, 0.25)};
  const auto arrivals = constant_arrivals(2, 600);
  const auto bound = training_bounds(modes, 25, arrivals, options(600, 1.15, 0.2)).front();
  EXPECT_NEAR(bound.training_hz, (1 - 2 * 0.1 / 3) / 0.25, 0.005);
}

TEST(TrainingBound, MoreThanCanBeServedIsImpossible) {
  const std::vector<Candidate> modes = {candidate(1, 4, 0.1, 0.25)};
  EXPECT_TRUE(
      training_bounds(modes, 25, constant_arrivals(39, 60), options(60, 1, 0.2)).front().possible);
  EXPECT_FALSE(
      training_bounds(modes, 25, constant_arrivals(43, 60), options(60, 1, 0.2)).front().possible);
}

TEST(TrainingBound, WhereNoModeMayServeOnlyAnEmptyWindowIsPossible) {
  const std::vector<Candidate> modes = {candidate(1, 4, 0.1, 0.25)};
  auto serving = modes;
  serving[0].inference->power_w = 40;
  const auto bounds = training_bounds(serving, 25, constant_arrivals(5, 10), options(60, 1, 0.2));
  EXPECT_FALSE(bounds.front().possible);
  EXPECT_TRUE(training_bounds(serving, 25, {}, options(60, 1, 0.2)).front().possible);
}

// Mode 1 cannot serve and mode 2 cannot train, so the mode must change back and forth. The more a
// change costs, the less training is possible.
TEST(TrainingBound, ChangesOfTheModeCostTime) {
  std::vector<Candidate> modes = {candidate(1, 4, 0.1, 0.1), candidate(2, 4, 0.1, 0.1)};
  modes[0].inference->power_w = 40;
  modes[1].background->power_w = 40;
  const auto arrivals = constant_arrivals(8, 60);
  double before_hz = 1e9;
  for (const double change_s : {0.0, 0.05, 0.1, 0.2}) {
    const auto bound = training_bounds(modes, 25, arrivals, options(60, 1, change_s)).front();
    EXPECT_TRUE(bound.possible);
    EXPECT_LT(bound.training_hz, before_hz) << change_s;
    before_hz = bound.training_hz;
  }
  EXPECT_LT(before_hz, 0.8 * (1 - 8 * 0.1 / 4) / 0.1);
}

// Takes a random plan at random times. Not even this controller may beat the bound.
class RandomController : public Controller {
 public:
  RandomController(std::span<const Candidate> plans, Random& random)
      : plans_(plans), random_(random) {}
  std::optional<ServingPlan> decide(double /*now_s*/,
                                    std::span<const double> /*arrivals*/) override {
    if (random_.uniform(0, 1) > 0.1) return std::nullopt;
    const auto i =
        static_cast<std::size_t>(random_.uniform(0, static_cast<double>(plans_.size()) - 1e-6));
    return serving_plan_of(plans_[i], plans_, random_.uniform(5, 100), Bound::kStrict);
  }

 private:
  std::span<const Candidate> plans_;
  Random& random_;
};

void expect_within(const Simulation& result, const std::vector<TrainingBound>& bounds,
                   const SimulationOptions& simulation, const std::string& who) {
  for (std::size_t w = 0; w < bounds.size(); ++w) {
    if (result.windows[w].p99_s > simulation.max_latency_s) continue;
    EXPECT_TRUE(bounds[w].possible) << who << " window " << w;
    EXPECT_LE(result.windows[w].training_minibatches / simulation.window_s,
              bounds[w].training_hz * (1 + 1e-9))
        << who << " window " << w;
  }
}

// `schedule dynamic --traces 200` tests the same with the sweeps of a board and 200 traces, see
// docs/results/scheduling.md.
// label: slow
TEST(TrainingBound, NoPolicyBeatsItOnRandomTraces) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const auto candidates = join_sweeps(testing::random_workloads(random, 40));
    PlanProblem problem{.arrival_rate_hz = 10,
                        .max_latency_s = random.uniform(0.3, 2),
                        .max_power_w = random.uniform(14, 30)};
    DynamicOptions dynamic;
    dynamic.mode_change_s = std::vector{0.0, 0.05, 0.2}[seed % 3];
    SimulationOptions simulation;
    simulation.duration_s = 180;
    simulation = dynamic_simulation(simulation, problem, dynamic);
    const auto plans = dynamic_plans(candidates, problem.max_power_w);
    if (plans.empty()) continue;
    const auto arrivals = bursty_arrivals({{5, 20, 60, 100}, 40}, 180, random);
    const auto bounds = training_bounds(candidates, problem.max_power_w, arrivals, simulation);
    PlanBook book(candidates, problem, simulation);
    const auto summary = run_dynamic(book, candidates, arrivals, simulation, dynamic);
    EXPECT_LE(summary.highest_share_of_bound, 1) << seed;
    EXPECT_LE(summary.feasible, summary.possible) << seed;
    expect_within(summary.dynamic, bounds, simulation, "dynamic");
    RandomController chaos(plans, random);
    const ServingPlan first = serving_plan_of(plans.front(), plans, 10, Bound::kStrict);
    expect_within(simulate(first, arrivals, simulation, &chaos), bounds, simulation, "random");
  }
}

}  // namespace
}  // namespace ridgewatt::schedule
