#include "ridgewatt/trace/engine_times.h"

#include <cmath>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/trace/text/element_reader.h"
#include "ridgewatt/trace/text/fields.h"

namespace ridgewatt::trace {
namespace {

constexpr std::size_t kMostRuns = 10'000'000;  // chosen: hours of short runs

EngineTimes read_times(TraceInput& input) {
  ElementReader reader(input, Quotes::kEscaped);
  std::vector<double> latency_ms, compute_ms, enqueue_ms;
  reader.for_each("", [&](const Json& run) {
    if (latency_ms.size() >= kMostRuns)
      throw InputError("has more runs than can be read", input.name());
    const double compute = number_field(run, "computeMs");
    const double latency = number_field(run, "latencyMs");
    const double enqueue = number_field(run, "endEnqMs") - number_field(run, "startEnqMs");
    // All three must be non-negative, not NaN, and of plausible size.
    const auto sound = [](double ms) { return ms >= 0 && ms < 1e12; };
    if (!sound(compute) || !sound(latency) || !sound(enqueue)) {
      throw InputError("a run has no valid computeMs, latencyMs, startEnqMs and endEnqMs",
                       input.name(), "give a file that trtexec --exportTimes wrote");
    }
    compute_ms.push_back(compute), latency_ms.push_back(latency), enqueue_ms.push_back(enqueue);
  });
  if (latency_ms.empty()) {
    throw InputError("has no runs", input.name(), "give a file that trtexec --exportTimes wrote");
  }
  EngineTimes times;
  times.runs = latency_ms.size();
  times.latency_mean_s = mean(latency_ms) * 1e-3;
  times.latency_median_s = median(latency_ms) * 1e-3;
  times.latency_p99_s = quantile(latency_ms, 0.99) * 1e-3;
  times.compute_median_s = median(compute_ms) * 1e-3;
  times.enqueue_median_s = median(enqueue_ms) * 1e-3;
  return times;
}

}  // namespace

EngineTimes read_engine_times(const std::string& path) {
  TraceInput input(path);
  return read_times(input);
}

EngineTimes parse_engine_times(std::string_view text, const std::string& name) {
  TraceInput input(text, name);
  return read_times(input);
}

}  // namespace ridgewatt::trace
