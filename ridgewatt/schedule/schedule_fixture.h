// Test helpers: synthetic workloads whose times fall and whose powers rise with every clock, so
// that planning problems resemble those of a real board.
#pragma once

#include <cmath>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::testing {

// A grid of 3 core counts, 4 CPU clocks, 5 GPU clocks and 2 memory clocks.
inline KnobSpace small_space() {
  return KnobSpace(KnobSpace::Levels{{{4, 8, 12},
                                      {0.4e9, 1.0e9, 1.6e9, 2.2e9},
                                      {0.2e9, 0.5e9, 0.8e9, 1.0e9, 1.3e9},
                                      {0.7e9, 3.2e9}}});
}

struct MadeUpWorkload {
  // Seconds at 1 GHz: GPU and memory work per sample; CPU work on 4 cores.
  double gpu_work = 0.02, cpu_work = 0.01, memory_work = 0.01;
  double overhead_s = 0.005;

  // Returns the observation of a minibatch with `batch` samples.
  Observation observe(const PowerMode& mode, int batch) const {
    const double gpu = mode.gpu_clock_hz / 1e9, cpu = mode.cpu_clock_hz / 1e9;
    const double memory = mode.mem_clock_hz / 1e9;
    Observation result;
    result.point = {mode, batch};
    result.time_s = overhead_s + batch * (gpu_work / gpu + memory_work / memory) +
                    cpu_work / cpu * 4 / mode.cpu_cores;
    result.power_w = 6 + 14 * gpu * gpu + 0.25 * mode.cpu_cores * cpu * cpu + 2 * memory +
                     0.5 * std::log2(1.0 + batch);
    return result;
  }
  Sweep sweep(const std::vector<PowerMode>& modes, const std::vector<int>& batches,
              const std::string& name, const std::string& kind) const {
    Sweep result{name + ".csv", name, kind, {}, {}};
    for (const auto& mode : modes) {
      for (const int batch : batches) {
        result.observations.push_back(observe(mode, batch));
        result.lines.push_back(result.lines.size() + 2);
      }
    }
    return result;
  }
};

inline MadeUpWorkload random_workload(Random& random, double scale) {
  return {scale * random.uniform(0.5, 2), scale * random.uniform(0.1, 2),
          scale * random.uniform(0.1, 2), scale * random.uniform(0.1, 1)};
}

// Returns an inference workload with batches 1, 4, 16, 32 and a training workload, over `modes`
// random modes.
inline schedule::ScheduleWorkloads random_workloads(Random& random, std::size_t modes) {
  const KnobSpace space = small_space();
  std::vector<PowerMode> chosen;
  for (const auto i : random.sample(space.size(), modes)) chosen.push_back(space[i]);
  schedule::ScheduleWorkloads result;
  result.inference =
      random_workload(random, 0.003).sweep(chosen, {1, 4, 16, 32}, "infer", "inference");
  result.background.push_back(
      {random_workload(random, 0.004).sweep(chosen, {16}, "train", "training"), 0});
  return result;
}

}  // namespace ridgewatt::testing
