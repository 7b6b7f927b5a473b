// Planning and simulating concurrent training and inference: one problem against full sweeps, and
// one hour of requests.
#include <benchmark/benchmark.h>

#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt {
namespace {

// 441 modes x 5 batches, times falling and power rising with the clocks.
std::vector<Candidate> candidates() {
  Random random(1);
  std::vector<Candidate> result;
  for (int mode = 0; mode < 441; ++mode) {
    const double speed = random.uniform(0.2, 1);
    for (const int batch : {1, 4, 16, 32, 64}) {
      Candidate candidate;
      candidate.mode.gpu_clock_hz = 1e6 * (mode + 1);
      candidate.batch = batch;
      candidate.infer_time_s = (0.012 + 0.002 * batch) / speed;
      candidate.infer_power_w = 10 + 40 * speed;
      candidate.train_time_s = candidate.blocking_s = 0.08 / speed;
      candidate.train_power_w = 12 + 40 * speed;
      candidate.round = {{16, candidate.train_time_s, candidate.train_power_w}};
      result.push_back(candidate);
    }
  }
  return result;
}

void plan(benchmark::State& state) {
  const PlanTable table(candidates());
  double power_w = 10;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(table.best_throughput({60, 1.0, power_w, Bound::kStrict}));
    power_w = power_w < 50 ? power_w + 1 : 10;
  }
}
BENCHMARK(plan);

void simulate_one_hour(benchmark::State& state) {
  Random random(16);
  const auto arrivals = poisson_arrivals(120, 3600, random);
  Setting setting;
  setting.candidate = candidates()[2];
  setting.training_per_cycle = 2;
  SimulationOptions options;
  options.duration_s = 3600;
  options.max_latency_s = 0.5;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(simulate(setting, arrivals, options));
  }
}
BENCHMARK(simulate_one_hour)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgewatt
