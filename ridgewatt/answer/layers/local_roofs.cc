// Measures the roofs of this machine, and counts the cost of a model for them.
#include <fmt/format.h>

#include <optional>

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::answer {
namespace {

measure::MicrobenchOptions microbench_of(const LocalRoofsQuestion& asked) {
  measure::MicrobenchOptions options;
  options.seconds_per_point = asked.seconds_per_point;
  options.threads = asked.threads;
  options.footprint_bytes = static_cast<std::size_t>(asked.footprint_bytes);
  return options;
}

}  // namespace

measure::LocalRoofs measure_roofs(const LocalRoofsQuestion& asked,
                                  const std::function<void()>& point_begins) {
  measure::MicrobenchOptions options = microbench_of(asked);
  options.power_start = point_begins;
  std::optional<RoofTarget> target;
  if (asked.target == LocalTarget::kCpu) target = RoofTarget::kCpu;
  if (asked.target == LocalTarget::kCuda) target = RoofTarget::kGpu;
  return measure::measure_local_roofs(target, asked.gpu, options);
}

std::vector<CacheLevel> measure_cache_levels(const LocalRoofsQuestion& asked) {
  std::vector<CacheLevel> levels;
  for (const auto& cache : measure::measure_caches(microbench_of(asked))) {
    levels.push_back(
        {cache.name, cache.bandwidth_bytes_per_s,
         sentence("measured: triads over half of {:.4g} KiB", cache.size_bytes / 1024)});
  }
  return levels;
}

workload::WorkloadCost counted_cost(const RooflineQuestion& question) {
  const workload::DeployOptions deploy = question.workload.deploy();
  using enum workload::Precision;
  if (deploy.precision != kFp32 && deploy.precision != kFp16 && deploy.precision != kMixed) {
    throw NotSupportedError(
        fmt::format("no microbenchmark measures {} on this machine", name_of(deploy.precision)),
        "--precision", "use fp32, or fp16 on a GPU");
  }
  workload::Model model = workload::load_workload(question.workload.model);
  workload::CostOptions cost;
  if (question.batch() > 0) cost.batch = question.batch();
  cost.dims = deploy.dims;
  cost.kind = deploy.kind;
  cost.optimizer = deploy.optimizer;
  cost.precision = deploy.precision;
  return workload::workload_cost(model, cost);
}

}  // namespace ridgewatt::answer
