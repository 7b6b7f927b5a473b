// In-process time to load a model, infer its shapes and compute its cost: the growth with the
// number of layers, and the time for another batch of a loaded model.
#include <benchmark/benchmark.h>

#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt {
namespace {

// A chain of convolutions with ReLU.
std::string chain(std::int64_t layers) {
  workload::GraphBuilder g("chain", 17);
  auto x = g.input("x", {"batch", 16, 32, 32});
  for (std::int64_t i = 0; i < layers; ++i) {
    x = g.relu(g.conv(x, 16, {.kernel = 3, .padding = 1}));
  }
  g.output(x, "y", {"batch", 16, 32, 32});
  return g.serialize();
}

void load_and_analyze_chain(benchmark::State& state) {
  const std::string onnx = chain(state.range(0));
  for (auto _ : state) {
    workload::Model model = workload::load_model_from_memory(onnx, "chain");
    benchmark::DoNotOptimize(workload::analyze(model).flops);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(load_and_analyze_chain)
    ->RangeMultiplier(2)
    ->Range(250, 4000)
    ->Complexity(benchmark::oN)
    ->Unit(benchmark::kMillisecond);

void another_batch(benchmark::State& state, const char* name, WorkloadKind kind) {
  workload::Model model = workload::load_workload(name);
  workload::CostOptions options;
  options.kind = kind;
  std::int64_t batch = 0;
  for (auto _ : state) {
    options.batch = batch++ % 64 + 1;
    benchmark::DoNotOptimize(workload::workload_cost(model, options).work_flop());
  }
}
BENCHMARK_CAPTURE(another_batch, resnet50, "zoo:resnet50", WorkloadKind::kInference)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(another_batch, resnet50_training, "zoo:resnet50", WorkloadKind::kTraining)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(another_batch, bert_large, "zoo:bert_large", WorkloadKind::kInference)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgewatt
