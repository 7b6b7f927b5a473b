// The time of the twin for all power modes of the AGX Orin, with and without per-layer times, and
// its growth with layers and modes.
#include <benchmark/benchmark.h>

#include <vector>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt {
namespace {

const std::vector<int> kBatches = {1, 4, 16, 32, 64};

std::vector<workload::WorkloadCost> costs(const char* model) {
  const workload::DeployedWorkload eager(model);
  std::vector<workload::WorkloadCost> all;
  for (const int batch : kBatches) all.push_back(*eager.at(batch));
  return all;
}

// 18,096 modes x 5 batches of ResNet-50, from the kernels' costs to time and power.
void AllModesAndBatches(benchmark::State& state) {
  const Board board = load_board("agx-orin");
  const twin::Twin twin = twin::load_twin(board);
  const KnobSpace space = knob_space(board);
  const auto of_batch = costs("zoo:resnet50");
  for (auto _ : state) {
    double sum = 0;
    for (const auto& cost : of_batch) {
      const twin::Estimator estimator(twin, cost);
      for (const auto& mode : space.modes()) sum += estimator(mode).energy_j();
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["points"] = static_cast<double>(space.size() * of_batch.size());
}
BENCHMARK(AllModesAndBatches)->Unit(benchmark::kMillisecond);

// The same, and the time of each layer, summed over all modes.
void AllModesAndBatchesPerLayer(benchmark::State& state) {
  const Board board = load_board("agx-orin");
  const twin::Twin twin = twin::load_twin(board);
  const KnobSpace space = knob_space(board);
  const auto of_batch = costs("zoo:resnet50");
  for (auto _ : state) {
    for (const auto& cost : of_batch) {
      const twin::Estimator estimator(twin, cost);
      std::vector<double> layer_s(cost.kernels.size(), 0.0);
      double sum = 0;
      for (const auto& mode : space.modes()) {
        sum += estimator(mode).energy_j();
        estimator.add_layer_times(mode, layer_s);
      }
      benchmark::DoNotOptimize(sum);
      benchmark::DoNotOptimize(layer_s.data());
    }
  }
}
BENCHMARK(AllModesAndBatchesPerLayer)->Unit(benchmark::kMillisecond);

// The first mode of a new (GPU, memory) clock pair: all kernels are summed.
void Layers(benchmark::State& state) {
  const Board board = load_board("agx-orin");
  workload::WorkloadCost cost = costs("zoo:resnet50").front();
  const auto kernels = cost.kernels;
  cost.kernels.clear();
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    cost.kernels.push_back(kernels[static_cast<std::size_t>(i) % kernels.size()]);
  }
  const twin::Twin twin = twin::load_twin(board);
  for (auto _ : state) benchmark::DoNotOptimize(twin::Estimator(twin, cost)(PowerMode{}).period_s);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(Layers)->RangeMultiplier(4)->Range(16, 16384)->Complexity();

void Modes(benchmark::State& state) {
  const Board board = load_board("agx-orin");
  const KnobSpace space = knob_space(board);
  const twin::Estimator estimator(twin::load_twin(board), costs("zoo:resnet50").front());
  for (auto _ : state) {
    double sum = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      sum += estimator(space[static_cast<std::size_t>(i)]).period_s;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(Modes)->RangeMultiplier(4)->Range(64, 16384)->Complexity();

}  // namespace
}  // namespace ridgewatt
