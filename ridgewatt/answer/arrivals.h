// Serves inference requests whose arrival rate changes: profiles points in advance, simulates
// re-planning on traces of arrivals, and compares the result with an upper bound for any schedule.
//
//   const ArrivalsAnswer found = serve_arrivals(question, workloads);
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
  std::string arrivals = "bursty";  // "bursty", or a CSV file of recorded arrivals
  // Number of generated traces, or of simulations of the arrivals in a CSV file.
  int traces = 1;
  schedule::BurstyOptions bursty;
  schedule::SimulationOptions simulation;
  schedule::DynamicOptions dynamic;
  std::string strategy = "auto";  // one of plan_strategy_names()
  int profiles = 50;              // number of profiles for each of three arrival rates
  std::uint64_t seed = 1;

  // Throws UsageError without an inference workload, without rates, or for invalid limits.
  void check() const;
};

struct ServedTrace {
  // "0", "1", ... With several traces, "all" has the sums over all traces.
  std::string name;
  schedule::DynamicSummary summary;
  std::size_t profiled = 0;  // number of profiled points
};
struct ArrivalsAnswer {
  std::vector<ServedTrace> traces;
  std::string idle_source;
  bool random_times = false;  // minibatch times have jitter, so the upper bound can be exceeded
  RowOrigin origin;
  std::vector<ProgramGround> grounds;  // one per program that is a model
};

// Throws the errors of the question's check() and of reading the arrivals.
ArrivalsAnswer serve_arrivals(TraceQuestion question, const schedule::ScheduleWorkloads& workloads);

}  // namespace ridgewatt::answer
