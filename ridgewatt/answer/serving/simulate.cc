#include "ridgewatt/answer/simulate.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::answer {
namespace {

constexpr double kLeastInterference = 0.501;  // must be above 0.5

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

// What two programs do to each other while both run.
struct SharedDevice {
  double interference = schedule::kNativeInterference;
  std::string source = std::string(schedule::kNativeInterferenceSource);
  std::optional<double> power_w = {};
};

// The given factor, else the twin's estimate, else a published factor.
SharedDevice native_sharing(const SimulateRequest& asked, const schedule::Plan& plan) {
  SharedDevice shared;
  const auto native = schedule::forecast_sharing(plan.candidate);
  const bool known = native && native->busy_known;
  if (known) shared.power_w = native->power_w.value;
  if (asked.interference) {
    shared.interference = *asked.interference;
    shared.source = "given";
  } else if (known) {
    shared.interference = std::max(kLeastInterference, native->factor.value);
    shared.source = "modelled from the share of time in which each program keeps the device busy";
  }
  return shared;
}

// As `native`, by a driver that loses nothing when it switches.
SharedDevice ideal_sharing(SharedDevice native, const schedule::Plan& plan) {
  const auto ideal = schedule::forecast_sharing(plan.candidate, schedule::kIdealSwitching);
  const bool known = ideal && ideal->busy_known;
  const double factor = known ? std::max(kLeastInterference, ideal->factor.value) : 1;
  if (factor >= native.interference) return native;
  native.interference = factor;
  if (known) native.power_w = ideal->power_w.value;
  return native;
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
          schedule::PlanTable(candidates),
          grounds_of(workloads)};
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
  const SharedDevice native = native_sharing(asked, plan.plan);
  const SharedDevice ideal = ideal_sharing(native, plan.plan);
  found.interference = native.interference;
  found.interference_source = native.source;
  found.ideal_interference = ideal.interference;
  for (const schedule::Sharing sharing : asked.sharing) {
    const SharedDevice& shared = sharing == schedule::Sharing::kNoInterference ? ideal : native;
    simulation.sharing = sharing;
    simulation.interference = shared.interference;
    simulation.shared_power_w = shared.power_w;
    found.results.emplace_back(
        name_of(sharing), schedule::simulate(plan.planned.serving, found.arrivals, simulation));
  }
  return found;
}

}  // namespace ridgewatt::answer
