// What a plan does under arrivals, by each way of sharing the device.
//
//   SimulateRequest asked{.arrivals = "bursty"};
//   const SimulateAnswer found = simulate_plan(asked, planned(asked.schedule, workloads));
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
  std::string plan = {};  // a result of `schedule plan`, in place of `schedule`
  ScheduleRequest schedule = {};
  std::string arrivals = "poisson";  // an ArrivalProcess, or a CSV file
  schedule::BurstyOptions bursty = {};
  std::vector<schedule::Sharing> sharing = {
      schedule::Sharing::kManaged, schedule::Sharing::kPriority, schedule::Sharing::kNative};
  schedule::SimulationOptions simulation = {.duration_s = 600};  // but for what the plan says
  bool full_batches = false;
  std::optional<double> interference = {};  // nothing: as the twin has it, or published
  std::uint64_t seed = 1;

  std::optional<schedule::ArrivalProcess> process() const;  // nothing: a file
};

// A feasible plan with all that a simulation needs of it.
struct PlannedServing {
  schedule::PlanProblem problem;
  schedule::ServingPlan serving;
  RowOrigin origin = {};
  std::string idle_source = {};  // where the idle power comes from, in words
};

// What is simulated: the plan, and the plans that there were to choose from.
struct SimulatedPlan {
  PlannedServing planned;
  schedule::Plan plan;
  schedule::PlanTable others;
};
// A plan that was made before, and the best one. NoSolutionError where there is none.
SimulatedPlan simulated_plan(PlannedServing planned);
SimulatedPlan simulated_plan(const ScheduleRequest& asked,
                             const schedule::ScheduleWorkloads& workloads);

struct SimulateAnswer {
  std::vector<double> arrivals;
  double interference = 0;
  std::string interference_source;                                    // in words
  std::vector<std::pair<std::string, schedule::Simulation>> results;  // by way of sharing
};
SimulateAnswer simulate_plan(const SimulateRequest& asked, const SimulatedPlan& plan);

}  // namespace ridgewatt::answer
