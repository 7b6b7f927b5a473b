// Simulates a plan under arrivals of requests, for each way to share the device.
//
//   SimulateRequest asked{.arrivals = "bursty"};
//   const SimulateAnswer found = simulate_plan(asked, simulated_plan(asked.schedule, workloads));
//   found.results.front().second.p99_s;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/schedule/arrivals.h"
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

}  // namespace ridgewatt::answer
