#include "ridgewatt/schedule/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

ServingPlan serving_of(int batch, double infer_s, double train_s, int per_cycle) {
  ServingPlan serving;
  if (batch > 0) serving.candidate.inference = {batch, infer_s, 20};
  serving.training_per_cycle = per_cycle;
  if (train_s > 0) serving.candidate.background = Round::of({16, train_s, 30});
  return serving;
}

SimulationOptions closed_form_options(double duration_s) {
  SimulationOptions options;
  options.duration_s = duration_s;
  options.deadline_dispatch = false;
  return options;
}

// Feasible random plans with constant arrivals; every other plan has a cost of switching. Simulated
// as planned, the worst latency equals the bound `exact`. If training fills every gap and so blocks
// batches, the bound `strict` holds.
// label: slow
TEST(Simulate, AgreesWithTheClosedForm) {
  Random random(42);
  int instances = 0, blocked = 0;
  while (instances < 1000) {
    const auto candidates = join_sweeps(testing::random_workloads(random, 20));
    const double rate = random.uniform(3, 100);
    Candidate candidate = candidates[random.below(candidates.size())];
    if (instances % 2 == 1) candidate.switch_s = random.uniform(0, 0.5) * candidate.infer().time_s;
    const Cycle exact = make_cycle(candidate, rate, Bound::kExact);
    if (!exact.stable) continue;
    ++instances;
    const double bound_s = make_cycle(candidate, rate, Bound::kStrict).latency_s;
    Plan plan = plan_with(candidate, {.arrival_rate_hz = rate, .bound = Bound::kExact});
    ServingPlan serving = make_serving_plan(plan, {});
    auto options = closed_form_options(200 * exact.period_s);
    const auto arrivals = constant_arrivals(rate, options.duration_s);
    const Simulation planned = simulate(serving, arrivals, options);
    ASSERT_GT(planned.requests, 0u);
    EXPECT_NEAR(planned.worst_s / exact.latency_s, 1, 0.01);
    EXPECT_LE(std::abs(planned.training_throughput_hz - exact.training_throughput_hz),
              1 / exact.period_s);
    options.fill_idle = true;
    options.max_latency_s = bound_s;
    const Simulation filled = simulate(serving, arrivals, options);
    EXPECT_EQ(filled.violations, 0u) << filled.worst_s << " > " << bound_s;
    EXPECT_GE(filled.training_minibatches, planned.training_minibatches - 1);
    if (filled.worst_s > exact.latency_s * 1.01) ++blocked;
  }
  EXPECT_GT(blocked, 100);  // blocking occurred, so it tested the strict bound
}

TEST(Simulate, WaitOfPoissonArrivalsIsThatOfMD1) {
  for (const double load : {0.3, 0.6, 0.8}) {
    Random random(9);
    const double service_s = 0.01;
    const auto arrivals = poisson_arrivals(load / service_s, 4000, random);
    const Simulation result =
        simulate(serving_of(1, service_s, 0, 0), arrivals, closed_form_options(4000));
    const double wait_s = load * service_s / (2 * (1 - load));  // Pollaczek-Khinchine
    EXPECT_NEAR(result.mean_latency_s, service_s + wait_s, 0.03 * (service_s + wait_s)) << load;
  }
}

// If training fills every gap, the device is a server with vacations of fixed length V, which adds
// V / 2 to the wait of M/D/1 (Doshi 1986).
TEST(Simulate, TrainingInEveryGapIsAVacationModel) {
  Random random(10);
  const double service_s = 0.01, vacation_s = 0.03, rate = 50;
  const auto arrivals = poisson_arrivals(rate, 4000, random);
  auto options = closed_form_options(4000);
  options.fill_idle = true;
  const Simulation result = simulate(serving_of(1, service_s, vacation_s, 0), arrivals, options);
  const double expected_s =
      service_s + rate * service_s * service_s / (2 * (1 - rate * service_s)) + vacation_s / 2;
  EXPECT_NEAR(result.mean_latency_s, expected_s, 0.03 * expected_s);
  // Training gets the time that inference leaves.
  EXPECT_NEAR(result.training_throughput_hz, (1 - rate * service_s) / vacation_s, 0.2);
}

// Sharing the processor with a job that never ends halves the speed: M/D/1 with twice the service
// time.
TEST(Simulate, TimeSharingHalvesTheSpeed) {
  Random random(11);
  const double service_s = 0.01, rate = 30;
  const auto arrivals = poisson_arrivals(rate, 4000, random);
  auto options = closed_form_options(4000);
  options.sharing = Sharing::kNative;
  options.interference = 1.25;
  const Simulation result = simulate(serving_of(1, service_s, 0.05, 1), arrivals, options);
  // While a request is served, both run, and training has the other half of the processor.
  const double shared_s = 2 * 1.25 * service_s;
  const double expected_s = shared_s + rate * shared_s * shared_s / (2 * (1 - rate * shared_s));
  EXPECT_NEAR(result.mean_latency_s, expected_s, 0.03 * expected_s);
  const double training_share = 1 - rate * shared_s + rate * service_s;
  EXPECT_NEAR(result.training_throughput_hz, training_share / 0.05, 0.2);
  options.sharing = Sharing::kNoInterference;
  const Simulation ideal = simulate(serving_of(1, service_s, 0.05, 1), arrivals, options);
  EXPECT_NEAR(ideal.training_throughput_hz, (1 - rate * service_s) / 0.05, 0.2);
  EXPECT_GT(ideal.training_throughput_hz, result.training_throughput_hz);
  EXPECT_LT(ideal.p99_s, result.p99_s);
  // Programs that leave gaps have a factor below 1, which an ideal driver does not make worse.
  options.interference = 0.8;
  const Simulation gaps = simulate(serving_of(1, service_s, 0.05, 1), arrivals, options);
  options.sharing = Sharing::kNative;
  const Simulation native = simulate(serving_of(1, service_s, 0.05, 1), arrivals, options);
  EXPECT_EQ(gaps.p99_s, native.p99_s);
}

// A minibatch that crosses the boundary of a window counts in both windows in proportion.
TEST(Simulate, WindowsShareAMinibatchThatReachesOver) {
  SimulationOptions options;
  options.duration_s = 15;
  options.window_s = 5;
  const Simulation result = simulate(serving_of(0, 0, 0.75, 1), {}, options);
  ASSERT_EQ(result.windows.size(), 3u);
  for (const auto& window : result.windows) {
    EXPECT_NEAR(window.training_minibatches, 20.0 / 3, 1e-9);
  }
  EXPECT_EQ(result.training_minibatches, 20);
}

// Idle power depends on the mode before a change of mode, after it, and during the pause.
TEST(Simulate, IdlePowerFollowsTheMode) {
  struct Switch : Controller {
    ServingPlan next;
    std::optional<ServingPlan> decide(double now_s, std::span<const double>) override {
      if (now_s < 4.5) return std::nullopt;
      return next;
    }
  } controller;
  ServingPlan serving = serving_of(1, 0.1, 0, 0);
  serving.candidate.idle_power_w = 5;
  controller.next = serving;
  controller.next.candidate.idle_power_w = 8;
  controller.next.candidate.mode.cpu_cores = 3;
  SimulationOptions options;
  options.duration_s = 10;
  options.mode_change_s = 1;
  options.epoch_s = 5;
  const Simulation result = simulate(serving, {}, options, &controller);
  EXPECT_NEAR(result.energy_j, 6 * 5 + 4 * 8, 1e-9);
  EXPECT_EQ(result.mode_changes, 1);
}

// Batch service with full batches of b: the queue length at departures follows Q' = max(Q, b) - b +
// A with Poisson A (Bailey 1954). Power iteration gives its stationary distribution, and Little's
// law over a renewal cycle gives the mean sojourn.
double batch_service_sojourn_s(int b, double rate, double service_s) {
  const int states = 400;
  const double mean_arrivals = rate * service_s;
  std::vector<double> poisson(states);
  for (int k = 0; k < states; ++k) {
    poisson[k] = std::exp(k * std::log(mean_arrivals) - mean_arrivals - std::lgamma(k + 1.0));
  }
  std::vector<double> queue(states, 0.0);
  queue[0] = 1;
  for (int iteration = 0; iteration < 2000; ++iteration) {
    std::vector<double> next(states, 0.0);
    for (int q = 0; q < states; ++q) {
      if (queue[q] < 1e-14) continue;
      const int left = std::max(q, b) - b;
      for (int k = 0; left + k < states; ++k) next[left + k] += queue[q] * poisson[k];
    }
    queue = next;
  }
  double area = 0, length = 0;
  for (int q = 0; q < states; ++q) {
    for (int j = q; j < b; ++j) area += queue[q] * j / rate;  // collecting the batch
    length += queue[q] * (std::max(0, b - q) / rate + service_s);
    area += queue[q] * (std::max(q, b) * service_s + rate * service_s * service_s / 2);
  }
  return area / length / rate;
}

// label: slow
TEST(Simulate, FullBatchesMatchBatchServiceTheory) {
  for (const auto& [b, load] : {std::pair{4, 0.5}, {4, 0.85}, {16, 0.7}}) {
    Random random(12);
    const double service_s = 0.05, rate = load * b / service_s;
    const auto arrivals = poisson_arrivals(rate, 4000, random);
    ServingPlan serving = serving_of(b, service_s, 0, 0);
    const Simulation result = simulate(serving, arrivals, closed_form_options(4000));
    const double expected_s = batch_service_sojourn_s(b, rate, service_s);
    EXPECT_NEAR(result.mean_latency_s, expected_s, 0.03 * expected_s) << b << " " << load;
  }
}

TEST(Simulate, DeadlineDispatchKeepsTheBoundWhenArrivalsAreFewerThanPlanned) {
  Random random(13);
  ServingPlan serving = serving_of(16, 0.05, 0.1, 1);
  serving.batches = {{1, 0.01, 15}, {4, 0.02, 17}, {16, 0.05, 20}};
  SimulationOptions options;
  options.duration_s = 600;
  options.max_latency_s = 0.4;
  const auto arrivals = poisson_arrivals(8, 600, random);  // a batch would take 2 s to fill
  const Simulation result = simulate(serving, arrivals, options);
  EXPECT_EQ(result.requests, arrivals.size());
  EXPECT_EQ(result.violations, 0u);
  EXPECT_GT(result.training_throughput_hz, 1);
}

TEST(Simulate, EnergyIsPowerOverTime) {
  Random random(14);
  SimulationOptions options;
  options.duration_s = 100;
  options.jitter = 0.2;
  options.timeline_segments = 1'000'000;
  const auto arrivals = poisson_arrivals(20, 100, random);
  ServingPlan serving = serving_of(4, 0.05, 0.08, 1);
  serving.candidate.idle_power_w = 5;
  const Simulation result = simulate(serving, arrivals, options);
  double energy_j = 0, busy_s = 0, end_s = 0;
  for (const auto& segment : result.timeline) {
    EXPECT_GE(segment.start_s, end_s - 1e-12);  // only one at a time
    end_s = segment.end_s;
    const double counted_s = std::min(segment.end_s, 100.0) - segment.start_s;
    if (counted_s <= 0) continue;
    energy_j += segment.power_w * counted_s;
    busy_s += counted_s;
  }
  energy_j += 5 * (100 - busy_s);
  EXPECT_NEAR(result.energy_j, energy_j, 1e-6 * energy_j);
  EXPECT_NEAR(std::accumulate(result.power_w.begin(), result.power_w.end(), 0.0), energy_j, 1e-3);
  const Simulation again = simulate(serving, arrivals, options);
  EXPECT_EQ(again.latencies_s, result.latencies_s);  // same seed, same result
}

TEST(Simulate, BadOptionsAndTraces) {
  SimulationOptions options;
  const std::vector<double> arrivals = {1, 2, 1.5};
  EXPECT_THROW(simulate(serving_of(1, 0.1, 0, 0), arrivals, options), UsageError);
  options.duration_s = 10;
  EXPECT_THROW(simulate(serving_of(1, 0.1, 0, 0), arrivals, options), UsageError);
  const testing::TemporaryFolder folder;
  EXPECT_THROW(read_arrivals(folder.write("a.csv", "time_s\n2\n1\n")), InputError);
  EXPECT_THROW(read_arrivals(folder.write("b.csv", "time_s\nnan\n")), InputError);
  EXPECT_THROW(read_arrivals(folder.write("c.csv", "time_s\n")), InputError);
  for (const char* text : {"0.5\n1\n2\n", "1,2\n3,4\n", "time_s\n-1\n2\n", "time_s\n1\ninf\n",
                           "time_s\n1e400\n", "time_s,u\n,1\n", "t,u\n1,2\n"}) {
    EXPECT_THROW(read_arrivals(folder.write("e.csv", text)), InputError) << text;
  }
  try {
    read_arrivals(folder.write("f.csv", "0.5\n1\n"));
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("header"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_arrivals(folder.write("g.csv", "arrival\n3\n3\n4\n")),
            (std::vector<double>{0, 0, 1}));
  const auto good = read_arrivals(folder.write("d.csv", "time_s\n5\n5.5\n7\n"));
  EXPECT_EQ(good, (std::vector<double>{0, 0.5, 2}));
  EXPECT_EQ(recorded_duration_s(good, 3600), 2);
  EXPECT_EQ(recorded_duration_s(good, 1), 1);
  EXPECT_EQ(recorded_duration_s(std::vector<double>{0}, 600), 600);  // one arrival has no duration
}

TEST(Arrivals, ProcessesHaveTheirMeanRate) {
  Random random(15);
  EXPECT_NEAR(static_cast<double>(poisson_arrivals(40, 5000, random).size()) / 5000, 40, 0.5);
  EXPECT_EQ(constant_arrivals(60, 10).size(), 600u);
  // With equal dwell times and uniform jumps, the mean rate is the mean of the rates.
  const BurstyOptions bursty{{10, 50, 120}, 5};
  EXPECT_NEAR(static_cast<double>(bursty_arrivals(bursty, 50000, random).size()) / 50000, 60, 2);
}

// Ten seconds of overload, then a minute at half of the rate that the device can serve (20 per
// second).
std::vector<double> overload_then_calm() {
  auto arrivals = constant_arrivals(40, 10);
  for (const double t : constant_arrivals(10, 60)) arrivals.push_back(10 + t);
  return arrivals;
}

TEST(Simulate, LateRequestsStepAsideForThoseThatCanBeInTime) {
  const ServingPlan serving = serving_of(4, 0.2, 0, 0);
  const auto arrivals = overload_then_calm();
  SimulationOptions options;
  options.duration_s = 70;
  options.max_latency_s = 0.8;
  const Simulation in_turn = simulate(serving, arrivals, options);
  options.late_last = true;
  const Simulation aside = simulate(serving, arrivals, options);
  ASSERT_EQ(aside.requests, arrivals.size());  // all are served, in time or late
  EXPECT_EQ(aside.unserved, 0u);
  const auto late_in_calm = [&](const Simulation& result) {
    std::size_t late = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      late += arrivals[i] > 11 && result.latencies_s[i] > options.max_latency_s ? 1 : 0;
    }
    return late;
  };
  EXPECT_EQ(late_in_calm(aside), 0u);
  // In order of arrival, the backlog of 200 requests shrinks by 10 per second: it takes 20 s.
  EXPECT_GT(late_in_calm(in_turn), 100u);
  // No order can serve half of the overload's 400 requests in time.
  EXPECT_NEAR(static_cast<double>(aside.violations), 200, 40);
  EXPECT_LT(aside.violations, in_turn.violations);
}

TEST(Simulate, LateRequestsAreServedAtTheEndWithFullBatchesToo) {
  const auto arrivals = constant_arrivals(40, 10);  // twice the rate of service
  SimulationOptions options;
  options.duration_s = 10;
  options.max_latency_s = 0.8;
  options.deadline_dispatch = false;
  options.late_last = true;
  const Simulation result = simulate(serving_of(4, 0.2, 0, 0), arrivals, options);
  EXPECT_EQ(result.requests + result.unserved, arrivals.size());
  EXPECT_LT(result.unserved, 4u);  // less than a batch
  for (const double latency_s : result.latencies_s) EXPECT_GE(latency_s, 0.2);
}

TEST(Simulate, ABoundShorterThanAMinibatchMakesEverythingLateAndEnds) {
  SimulationOptions options;
  options.duration_s = 60;
  options.max_latency_s = 0.1;
  for (const bool late_last : {false, true}) {
    for (const double train_s : {0.0, 0.3}) {
      options.late_last = late_last;
      const auto arrivals = constant_arrivals(2, 60);
      const Simulation result = simulate(serving_of(4, 0.2, train_s, 1), arrivals, options);
      EXPECT_EQ(result.requests, arrivals.size());
      EXPECT_EQ(result.violations, arrivals.size());
    }
  }
}

TEST(Simulate, ABacklogGetsALargerBatchOnlyInTime) {
  // Eight requests arrive at once; the target is 2. A batch of 8 takes 0.5 s.
  ServingPlan serving = serving_of(2, 0.1, 0, 0);
  serving.batches = {{2, 0.1, 20}, {8, 0.5, 20}};
  const std::vector<double> arrivals(8, 1.0);
  SimulationOptions options;
  options.duration_s = 10;
  options.max_latency_s = 0.6;
  EXPECT_EQ(simulate(serving, arrivals, options).inference_minibatches, 1u);
  options.max_latency_s = 0.45;
  const Simulation tight = simulate(serving, arrivals, options);
  EXPECT_EQ(tight.inference_minibatches, 4u);
  EXPECT_EQ(tight.violations, 0u);
}

}  // namespace
}  // namespace ridgewatt::schedule
