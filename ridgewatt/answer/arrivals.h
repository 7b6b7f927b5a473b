// Serving while the arrival rate changes: profile points beforehand, re-plan during traces of
// arrivals, and compare with what any schedule could do.
//
//   const ArrivalsAnswer found = serve_arrivals(question);
//   found.traces[0].summary.met_share(found.traces[0].summary.policy);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/schedule/dynamic.h"

namespace ridgewatt::answer {

struct TraceQuestion {
  ScheduleRequest schedule;
  std::string arrivals = "bursty";  // or a CSV file
  int traces = 1;                   // with arrivals from a process
  schedule::BurstyOptions bursty;
  schedule::SimulationOptions simulation;
  schedule::DynamicOptions dynamic;
  std::string strategy = "auto";  // one of plan_strategy_names()
  int profiles = 50;              // for each of three rates
  std::uint64_t seed = 1;

  // UsageError without an inference, without rates, or for limits without a meaning.
  void check() const;
};

struct ServedTrace {
  std::string name;  // "0", "1", ..; "all": sums, for several traces
  schedule::DynamicSummary summary;
  std::size_t profiled = 0;  // points
};
struct ArrivalsAnswer {
  std::vector<ServedTrace> traces;
  std::string idle_source;
  bool random_times = false;  // minibatch times have jitter, so the bound is not strict
  RowOrigin origin;
};

// Throws what planning throws.
ArrivalsAnswer serve_arrivals(TraceQuestion question, const schedule::ScheduleWorkloads& workloads);

}  // namespace ridgewatt::answer
