#include "ridgewatt/schedule/oracle.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/parallel.h"

namespace ridgewatt {
namespace {

// Arrivals that ended after `duration_s` or never, by a clock that begins then.
std::vector<double> unserved(const Simulation& result, std::span<const double> arrivals,
                             double duration_s) {
  std::vector<double> left;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const bool served =
        i < result.latencies_s.size() && arrivals[i] + result.latencies_s[i] <= duration_s;
    if (!served) left.push_back(arrivals[i] - duration_s);
  }
  return left;
}

// `arrivals`: by the window's clock; the first `left_behind` of them, at negative times, belong to
// windows before.
OracleWindow solve(std::span<const Candidate> plans, const PlanProblem& problem,
                   const std::vector<double>& arrivals, std::size_t left_behind,
                   const SimulationOptions& simulation) {
  const auto own = std::max<double>(1, static_cast<double>(arrivals.size() - left_behind));
  const double rate_hz = own / simulation.duration_s;
  const auto run = [&](const Candidate& plan) {
    return simulate(plan_setting(plan, plans, rate_hz, problem.bound), arrivals, simulation);
  };
  const auto attempt = [&](const Candidate& plan) {
    const Simulation result = run(plan);
    std::size_t late = result.unserved;
    for (std::size_t i = left_behind; i < result.latencies_s.size(); ++i) {
      late += result.latencies_s[i] > problem.max_latency_s * (1 + 1e-9) ? 1 : 0;
    }
    return Trial{result.training_throughput_hz, static_cast<double>(late) / own};
  };
  const PlanChoice choice =
      choose_plan(plans, rate_hz, problem.max_latency_s, kForgivenShare, attempt);
  OracleWindow window;
  window.feasible = choice.trial.late_share <= kForgivenShare;
  window.training_hz = choice.trial.training_hz;
  if (window.feasible && left_behind == 0) return window;
  window.left_behind = unserved(run(*choice.plan), arrivals, simulation.duration_s);
  // What is still in time at the end is served like what comes after it.
  if (window.feasible) {
    std::erase_if(window.left_behind, [&](double at_s) { return -at_s < problem.max_latency_s; });
  }
  return window;
}

}  // namespace

std::vector<OracleWindow> oracle_windows(std::span<const Candidate> candidates,
                                         const PlanProblem& problem,
                                         std::span<const double> arrivals,
                                         const SimulationOptions& simulation) {
  const auto plans = dynamic_plans(candidates, problem.max_power_w);
  const auto count =
      static_cast<std::size_t>(std::ceil(simulation.duration_s / simulation.window_s - 1e-9));
  std::vector<OracleWindow> windows(count);
  if (plans.empty()) return windows;
  const auto solve_window = [&](std::size_t w, const std::vector<double>& left_behind) {
    const double start_s = static_cast<double>(w) * simulation.window_s;
    const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), start_s);
    const auto last = std::lower_bound(first, arrivals.end(), start_s + simulation.window_s);
    std::vector<double> shifted = left_behind;
    for (auto at = first; at != last; ++at) shifted.push_back(*at - start_s);
    SimulationOptions options = simulation;
    options.duration_s = std::min(simulation.window_s, simulation.duration_s - start_s);
    windows[w] = solve(plans, problem, shifted, left_behind.size(), options);
  };
  parallel_for(count, [&](std::size_t w) { solve_window(w, {}); });
  bool backlog = false;
  for (std::size_t w = 0; w < count; ++w) {
    if (backlog) solve_window(w, windows[w - 1].left_behind);
    backlog = !windows[w].feasible || (backlog && !windows[w].left_behind.empty());
  }
  return windows;
}

}  // namespace ridgewatt
