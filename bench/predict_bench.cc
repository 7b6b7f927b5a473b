// Predictors: network training (rows per second), a reference and a transfer of the published size,
// and the few-shot predictor on a board with 18,096 modes. bench/torch_network.py measures the same
// network in PyTorch.
#include <benchmark/benchmark.h>

#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/predict/pareto.h"

namespace ridgewatt {
namespace {

// An invented board with 12 x 29 x 13 x 4 = 18,096 modes.
std::vector<Observation> all_modes() {
  std::vector<Observation> rows;
  for (int cores = 1; cores <= 12; ++cores) {
    for (int cpu = 1; cpu <= 29; ++cpu) {
      for (int gpu = 1; gpu <= 13; ++gpu) {
        for (const double mem_hz : {0.204e9, 0.665e9, 2.133e9, 3.199e9}) {
          Observation row;
          row.point = {{cores, cpu * 76e6, gpu * 100e6, mem_hz, ""}, 16};
          const double gpu_s = 3e7 / row.point.mode.gpu_clock_hz + 2e7 / mem_hz;
          const double cpu_s = 5e7 / row.point.mode.cpu_clock_hz / std::min(cores, 4);
          row.time_s = std::cbrt(std::pow(gpu_s, 3) + std::pow(cpu_s, 3));
          row.power_w =
              9 + 0.1 * cores + 1.2e-10 * row.point.mode.gpu_clock_hz * (gpu_s / row.time_s);
          rows.push_back(row);
        }
      }
    }
  }
  return rows;
}

std::vector<Observation> draw(const std::vector<Observation>& rows, std::size_t count) {
  std::vector<Observation> result;
  for (const auto index : Random(1).sample(rows.size(), count)) result.push_back(rows[index]);
  return result;
}

std::vector<OperatingPoint> points_of(const std::vector<Observation>& rows) {
  std::vector<OperatingPoint> points;
  for (const auto& row : rows) points.push_back(row.point);
  return points;
}

// The training of the method `nn`: two 4-256-128-64-1 networks, on 4,368 rows for 100 epochs.
void train_both_networks(benchmark::State& state) {
  const auto rows = draw(all_modes(), 4368);
  predict::NnOptions options;
  options.rows_per_mode = 1;
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(predict::train_reference("made up", rows, options));
  }
  state.counters["rows"] =
      benchmark::Counter(2 * static_cast<double>(rows.size()) * options.network.epochs,
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(train_both_networks)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime();

// Both targets (time and power), 4,368 modes x 40 rows.
void train_reference_of_40_rows(benchmark::State& state) {
  const auto rows = draw(all_modes(), 4368);
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(predict::train_reference("made up", rows, {}));
  }
}
BENCHMARK(train_reference_of_40_rows)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

void transfer_50_modes(benchmark::State& state) {
  const auto rows = all_modes();
  predict::NnOptions quick;
  quick.rows_per_mode = 1;
  quick.network.epochs = 5;
  const predict::ReferenceModel reference =
      predict::train_reference("made up", draw(rows, 400), quick);
  const auto samples = draw(rows, 50);
  for (auto step : state) {
    (void)step;
    predict::NnPredictor predictor({}, reference);
    predictor.fit(samples);
  }
}
BENCHMARK(transfer_50_modes)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime();

void auto_fit_50_samples(benchmark::State& state) {
  const auto rows = all_modes();
  const auto samples = draw(rows, 50);
  predict::AutoOptions options;
  options.space = points_of(rows);
  for (auto step : state) {
    (void)step;
    predict::AutoPredictor predictor(options);
    predictor.fit(samples);
  }
}
BENCHMARK(auto_fit_50_samples)->Unit(benchmark::kMillisecond);

void auto_predict_18096_modes(benchmark::State& state) {
  const auto rows = all_modes();
  const auto points = points_of(rows);
  predict::AutoPredictor predictor;
  predictor.fit(draw(rows, 50));
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(predictor.predict(points));
  }
}
BENCHMARK(auto_predict_18096_modes)->Unit(benchmark::kMillisecond);

void pareto_of_18096_points(benchmark::State& state) {
  std::vector<double> times, powers;
  for (const auto& row : all_modes()) times.push_back(row.time_s), powers.push_back(row.power_w);
  for (auto step : state) {
    (void)step;
    benchmark::DoNotOptimize(predict::pareto_front(times, powers));
  }
}
BENCHMARK(pareto_of_18096_points)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgewatt
