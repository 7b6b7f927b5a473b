// Planning and simulation of concurrent training and inference: one problem, the 273,000 problems
// of Fulcrum's evaluation on two threads, and one hour of requests. The candidates come from the
// sweeps that RIDGEWATT_TRAIN and RIDGEWATT_INFER name or, without these, from candidates().
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt {
namespace {

// 441 modes x 5 batches. At higher clocks, times are lower and power is higher.
std::vector<schedule::Candidate> candidates() {
  Random random(1);
  std::vector<schedule::Candidate> result;
  for (int mode = 0; mode < 441; ++mode) {
    const double speed = random.uniform(0.2, 1);
    for (const int batch : {1, 4, 16, 32, 64}) {
      schedule::Candidate candidate;
      candidate.mode.gpu_clock_hz = 1e6 * (mode + 1);
      candidate.inference = {batch, (0.012 + 0.002 * batch) / speed, 10 + 40 * speed};
      candidate.background = schedule::Round::of({16, 0.08 / speed, 12 + 40 * speed});
      result.push_back(candidate);
    }
  }
  return result;
}

schedule::PlanTable plan_table() {
  const char* train = std::getenv("RIDGEWATT_TRAIN");
  const char* infer = std::getenv("RIDGEWATT_INFER");
  if (train == nullptr || infer == nullptr) return schedule::PlanTable(candidates());
  return schedule::PlanTable(schedule::join_sweeps({read_sweep(infer), {{read_sweep(train), 0}}}));
}

void plan(benchmark::State& state) {
  const schedule::PlanTable table = plan_table();
  double power_w = 10;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(table.best_throughput({60, 1.0, power_w, schedule::Bound::kStrict}));
    power_w = power_w < 50 ? power_w + 1 : 10;
  }
}
BENCHMARK(plan);

// Cycles through power limits of 10 to 50 W, latencies of 0.5 to 2 s and 30 to 120 requests per
// second.
void plan_273000(benchmark::State& state) {
  constexpr std::size_t kProblems = 273'000;
  const schedule::PlanTable table = plan_table();
  for (auto step : state) {
    (void)step;
    parallel_for(
        kProblems,
        [&](std::size_t i) {
          const double power_w = 10 + static_cast<double>(i % 41);
          const double latency_s = 0.5 + 0.1 * static_cast<double>(i / 41 % 16);
          const double rate_hz = 30 + 5 * static_cast<double>(i / (41 * 16) % 19);
          benchmark::DoNotOptimize(
              table.best_throughput({rate_hz, latency_s, power_w, schedule::Bound::kStrict}));
        },
        2);
  }
}
BENCHMARK(plan_273000)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void simulate_one_hour(benchmark::State& state) {
  Random random(16);
  const auto arrivals = schedule::poisson_arrivals(120, 3600, random);
  schedule::ServingPlan serving;
  serving.candidate = candidates()[2];
  serving.training_per_cycle = 2;
  schedule::SimulationOptions options;
  options.duration_s = 3600;
  options.max_latency_s = 0.5;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(schedule::simulate(serving, arrivals, options));
  }
}
BENCHMARK(simulate_one_hour)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgewatt
