// Reads the times of the individual runs of an engine, written by `trtexec --exportTimes`.
//
//   const EngineTimes times = read_engine_times("engine.timing.json");
//   if (times.enqueue_bound()) ...  // the host enqueues work more slowly than the GPU executes it
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt::trace {

// Times per run. Quantiles by linear interpolation.
struct EngineTimes {
  std::size_t runs = 0;
  double latency_mean_s = 0, latency_median_s = 0, latency_p99_s = 0;
  double compute_median_s = 0;
  double enqueue_median_s = 0;  // CPU time to enqueue a run

  // True if enqueueing a run takes at least as long as computing it.
  bool enqueue_bound() const { return enqueue_median_s >= compute_median_s; }
};

// Throws NotFoundError, PermissionError, IoError or InputError.
EngineTimes read_engine_times(const std::string& path);
EngineTimes parse_engine_times(std::string_view text, const std::string& name);

}  // namespace ridgewatt::trace
