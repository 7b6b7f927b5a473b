// Simulates a plan under arrivals of requests, for each way to share the device.
//
//   SimulateRequest asked{.arrivals = "bursty"};
//   const SimulateAnswer found = simulate_plan(asked, simulated_plan(asked.schedule, workloads));
//   found.results.front().second.p99_s;
//
// Serves requests whose arrival rate changes: profiles points in advance, simulates re-planning on
// traces of arrivals, and compares the result with an upper bound for any schedule.
//
//   const ArrivalsAnswer found = serve_arrivals(question, workloads);
//   found.traces[0].summary.met_share(found.traces[0].summary.policy);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::answer {

struct SimulateRequest {
  std::string plan = {};  // file written by `schedule plan`; replaces `schedule`
  ScheduleRequest schedule = {};
  std::string arrivals = "poisson";  // name of an ArrivalProcess, or CSV file
  schedule::BurstyOptions bursty = {};
  std::vector<schedule::Sharing> sharing = {
      schedule::Sharing::kManaged, schedule::Sharing::kPriority, schedule::Sharing::kNative};
  // Its limits and sharing are set from the other members.
  schedule::SimulationOptions simulation = {.duration_s = 600};
  bool full_batches = false;  // waits for full inference batches
  // Interference factor of native sharing. Absent: modelled by the twin, or else a published value.
  std::optional<double> interference = {};
  std::uint64_t seed = 1;

  std::optional<schedule::ArrivalProcess> process() const;  // absent: `arrivals` names a file
};

// A feasible plan with the data that a simulation needs.
struct PlannedServing {
  schedule::PlanProblem problem;
  schedule::ServingPlan serving;
  RowOrigin origin = {};
  std::string idle_source = {};  // source of the idle power, as text
};

// The plan to simulate, and all plans from which it was chosen.
struct SimulatedPlan {
  PlannedServing planned;
  schedule::Plan plan;
  schedule::PlanTable others;
  std::vector<ProgramGround> grounds =
      {};  // of the programs that are models; empty with an existing plan
};
// The first overload takes an existing plan. The second finds the best plan, and throws
// NoSolutionError if none is feasible.
SimulatedPlan simulated_plan(PlannedServing planned);
SimulatedPlan simulated_plan(const ScheduleRequest& asked,
                             const schedule::ScheduleWorkloads& workloads);

struct SimulateAnswer {
  std::vector<double> arrivals;
  double interference = 0;
  std::string interference_source;  // as text
  double ideal_interference = 0;    // of Sharing::kNoInterference
  // Name and result of each way to share.
  std::vector<std::pair<std::string, schedule::Simulation>> results;
};
SimulateAnswer simulate_plan(const SimulateRequest& asked, const SimulatedPlan& plan);

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
