#include "ridgewatt/answer/simulate.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::answer {
namespace {

// Lowers `duration_s` to the duration of a recorded trace if that is shorter.
std::vector<double> make_arrivals(const SimulateRequest& asked, double rate_hz,
                                  double& duration_s) {
  const auto process = asked.process();
  if (!process) {
    auto recorded = schedule::read_arrivals(asked.arrivals);
    duration_s = schedule::recorded_duration_s(recorded, duration_s);
    return recorded;
  }
  Random random(asked.seed);
  switch (*process) {
    case schedule::ArrivalProcess::kConstant:
      return schedule::constant_arrivals(rate_hz, duration_s);
    case schedule::ArrivalProcess::kPoisson:
      return schedule::poisson_arrivals(rate_hz, duration_s, random);
    case schedule::ArrivalProcess::kBursty:
      break;
  }
  return schedule::bursty_arrivals(asked.bursty, duration_s, random);
}

// Chooses the interference factor of native sharing: the given one, else the twin's estimate, else
// a published one.
void choose_interference(const SimulateRequest& asked, const schedule::Plan& plan,
                         schedule::SimulationOptions& simulation, SimulateAnswer& found) {
  found.interference_source =
      asked.interference ? std::string("given") : std::string(schedule::kNativeInterferenceSource);
  if (asked.interference) simulation.interference = *asked.interference;
  const auto native = schedule::forecast_sharing(plan.candidate);
  if (native && native->busy_known) {
    simulation.shared_power_w = native->power_w.value;
    if (!asked.interference) {
      simulation.interference = std::max(0.501, native->factor.value);  // must be above 0.5
      found.interference_source =
          "modelled: by how much of its time each program keeps the device busy";
    }
  }
  found.interference = simulation.interference;
}

}  // namespace

std::optional<schedule::ArrivalProcess> SimulateRequest::process() const {
  return find_word<schedule::ArrivalProcess>(arrivals);
}

SimulatedPlan simulated_plan(PlannedServing planned) {
  const schedule::Plan plan = schedule::plan_with(planned.serving.candidate, planned.problem);
  schedule::PlanTable others({planned.serving.candidate});
  return {std::move(planned), plan, std::move(others)};
}

SimulatedPlan simulated_plan(const ScheduleRequest& asked,
                             const schedule::ScheduleWorkloads& workloads) {
  const schedule::PlanProblem problem = checked_problem(asked);
  const auto [candidates, idle_source] = planned_points(workloads, asked.idle_power_w);
  const schedule::Plan plan = best_plan(candidates, problem);
  if (!plan.feasible)
    throw NoSolutionError("no plan meets the limits", plan.miss,
                          "relax a limit, or give more modes or batches");
  return {{problem, schedule::make_serving_plan(plan, candidates), schedule::plan_origin(workloads),
           idle_source},
          plan,
          schedule::PlanTable(candidates)};
}

SimulateAnswer simulate_plan(const SimulateRequest& asked, const SimulatedPlan& plan) {
  schedule::SimulationOptions simulation = asked.simulation;
  const schedule::PlanProblem& problem = plan.planned.problem;
  SimulateAnswer found;
  if (plan.plan.candidate.inference) {
    found.arrivals = make_arrivals(asked, problem.arrival_rate_hz, simulation.duration_s);
  }
  simulation.max_latency_s = problem.max_latency_s;
  simulation.deadline_dispatch = !asked.full_batches;
  simulation.seed = asked.seed;
  choose_interference(asked, plan.plan, simulation, found);
  for (const schedule::Sharing sharing : asked.sharing) {
    simulation.sharing = sharing;
    found.results.emplace_back(
        name_of(sharing), schedule::simulate(plan.planned.serving, found.arrivals, simulation));
  }
  return found;
}

}  // namespace ridgewatt::answer
