// Test helpers: a small board whose time and power follow simple physics, and profilers on it.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::testing {

inline KnobSpace small_board() {
  return KnobSpace(KnobSpace::Levels{{{2, 4, 8},
                                      {0.4e9, 0.8e9, 1.2e9, 1.6e9, 2.0e9},
                                      {0.2e9, 0.4e9, 0.6e9, 0.8e9, 1.0e9},
                                      {0.6e9, 2.1e9, 3.2e9}}});
}

// Time: maximum of compute and memory time, plus launches. Power: a constant plus terms for the
// cube of the GPU clock, the square of the CPU clock, and memory.
inline Observation small_board_run(const OperatingPoint& point) {
  const auto& mode = point.mode;
  const double n = std::max(point.batch, 1);
  const double compute = 40e6 * n / mode.gpu_clock_hz;
  const double memory = 60e6 * n / mode.mem_clock_hz;
  const double launch = 10e6 / mode.cpu_clock_hz * (1 + 1.0 / mode.cpu_cores);
  const double time = std::max(compute, memory) + launch;
  const double g = mode.gpu_clock_hz / 1e9, c = mode.cpu_clock_hz / 1e9,
               m = mode.mem_clock_hz / 1e9;
  const double power = 5 + 12 * g * g * g * compute / time + 0.25 * mode.cpu_cores * c * c +
                       1.0 * m + 2 * c * launch / time;
  return {point, time, power};
}

inline Sweep small_board_sweep(const std::vector<int>& batches = {16}) {
  Sweep sweep{"small board", "synthetic", "inference", {}, {}};
  const tune::SearchSpace space(small_board(), batches);
  for (const auto& point : space.points()) {
    sweep.observations.push_back(small_board_run(point));
    sweep.lines.push_back(sweep.lines.size() + 2);
  }
  return sweep;
}

// Counts the profiles of each point. Points with the batch `broken_batch` cannot be run.
class SmallBoard : public Profiler {
 public:
  explicit SmallBoard(int broken_batch = -1) : broken_batch_(broken_batch) {}
  Observation profile(const OperatingPoint& point) override {
    ++asked_[point];
    if (point.batch == broken_batch_)
      throw NotSupportedError("the workload does not fit the memory");
    return small_board_run(point);
  }
  Provenance provenance() const override { return Provenance::kModelled; }
  const std::map<OperatingPoint, int>& asked() const { return asked_; }

 private:
  int broken_batch_;
  std::map<OperatingPoint, int> asked_;
};

}  // namespace ridgewatt::testing
