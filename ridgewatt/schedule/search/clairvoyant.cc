#include "ridgewatt/schedule/search/clairvoyant.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt::schedule {
namespace {

constexpr std::size_t kServers = 4;  // number of serving modes to try
// Number of waiting requests at which serving may pause.
constexpr std::size_t kLeftWaiting[] = {0, 3, 15, 31};

double most_per_s(const std::vector<Minibatch>& batches) {
  double most = 0;
  for (const auto& batch : batches) most = std::max(most, batch.batch / batch.time_s);
  return most;
}

// Modes to alternate between: the one with the fastest training, and those with the highest serving
// capacity.
struct Alternation {
  double train_time_s = 0;                      // 0: no training is possible
  std::vector<std::vector<Minibatch>> servers;  // batches in ascending order
};

Alternation find_alternation(std::span<const Candidate> candidates, double max_power_w) {
  Alternation result;
  std::map<PowerMode, std::map<int, Minibatch>> modes;
  for (const auto& one : candidates) {
    const auto& round = one.background;
    if (round && round->power_w <= max_power_w &&
        (result.train_time_s == 0 || round->time_s < result.train_time_s)) {
      result.train_time_s = round->time_s;
    }
    if (!one.inference || one.inference->power_w > max_power_w) continue;
    modes[one.mode][one.inference->batch] = *one.inference;
  }
  for (const auto& [mode, batches] : modes) {
    auto& server = result.servers.emplace_back();
    for (const auto& [size, batch] : batches) server.push_back(batch);
  }
  sort_stably(result.servers,
              [](const auto& a, const auto& b) { return most_per_s(a) > most_per_s(b); });
  result.servers.resize(std::min(result.servers.size(), kServers));
  return result;
}

// Trains until the oldest request must be served, changes the mode, serves until at most
// `left_waiting` requests wait, and changes back.
Trial alternate(double train_time_s, const std::vector<Minibatch>& batches,
                std::size_t left_waiting, std::span<const double> arrivals,
                const SimulationOptions& simulation) {
  const double latency_s = simulation.max_latency_s;
  double now_s = 0, trained_s = 0;
  std::size_t head = 0, late = 0;
  const auto waiting = [&] {
    const auto arrived = std::upper_bound(arrivals.begin(), arrivals.end(), now_s);
    return static_cast<std::size_t>(arrived - arrivals.begin()) - head;
  };
  const auto padded = [&](std::size_t count) {
    const auto fits = [&](const Minibatch& one) {
      return static_cast<std::size_t>(one.batch) >= count;
    };
    const auto found = std::find_if(batches.begin(), batches.end(), fits);
    return found == batches.end() ? batches.back() : *found;
  };
  const double first_s = simulation.mode_change_s + batches.back().time_s;
  while (now_s < simulation.duration_s) {
    const double due_s = head < arrivals.size() ? arrivals[head] + latency_s - first_s
                                                : simulation.duration_s + train_time_s;
    const double until_s = std::min(due_s, simulation.duration_s + train_time_s);
    const double rounds = std::max(0.0, std::floor((until_s - now_s) / train_time_s));
    trained_s += std::min(rounds * train_time_s, simulation.duration_s - now_s);
    now_s += rounds * train_time_s;
    if (head == arrivals.size()) break;
    now_s = std::max(now_s + simulation.mode_change_s, arrivals[head]);
    for (std::size_t queued = waiting(); queued > 0; queued = waiting()) {
      const Minibatch batch = padded(queued);
      now_s += batch.time_s;
      const auto last = head + std::min(queued, static_cast<std::size_t>(batch.batch));
      for (; head < last; ++head) late += now_s > arrivals[head] + latency_s ? 1 : 0;
      if (waiting() <= left_waiting) break;
    }
    now_s += simulation.mode_change_s;
  }
  late += arrivals.size() - head;
  const double own = std::max<double>(1, static_cast<double>(arrivals.size()));
  return {trained_s / train_time_s / simulation.duration_s, static_cast<double>(late) / own};
}

// `arrivals` are relative to the start of the window.
ClairvoyantWindow solve(std::span<const Candidate> plans, const Alternation& alternation,
                        const PlanProblem& problem, std::span<const double> arrivals,
                        const SimulationOptions& simulation) {
  const auto own = std::max<double>(1, static_cast<double>(arrivals.size()));
  const double rate_hz = own / simulation.duration_s;
  const auto attempt = [&](const Candidate& plan) {
    const Simulation result =
        simulate(serving_plan_of(plan, plans, rate_hz, problem.bound), arrivals, simulation);
    const auto late = static_cast<double>(result.violations + result.unserved);
    return Trial{result.training_throughput_hz, late / own};
  };
  ClairvoyantWindow window;
  const auto consider = [&](const Trial& trial) {
    if (trial.late_share > kForgivenShare) return;
    window.feasible = true;
    window.training_hz = std::max(window.training_hz, trial.training_hz);
  };
  if (!plans.empty()) {
    consider(choose_plan(plans, rate_hz, problem.max_latency_s, kForgivenShare, attempt).trial);
  }
  if (alternation.train_time_s <= 0) return window;
  for (const auto& server : alternation.servers) {
    for (const std::size_t left : kLeftWaiting) {
      consider(alternate(alternation.train_time_s, server, left, arrivals, simulation));
    }
  }
  return window;
}

}  // namespace

std::vector<ClairvoyantWindow> clairvoyant_windows(std::span<const Candidate> candidates,
                                                   const PlanProblem& problem,
                                                   std::span<const double> arrivals,
                                                   const SimulationOptions& simulation) {
  const auto plans = dynamic_plans(candidates, problem.max_power_w);
  const auto alternation = find_alternation(candidates, problem.max_power_w);
  const auto count =
      static_cast<std::size_t>(std::ceil(simulation.duration_s / simulation.window_s - 1e-9));
  std::vector<ClairvoyantWindow> windows(count);
  parallel_for(count, [&](std::size_t w) {
    const double start_s = static_cast<double>(w) * simulation.window_s;
    const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), start_s);
    const auto last = std::lower_bound(first, arrivals.end(), start_s + simulation.window_s);
    std::vector<double> shifted;
    for (auto at = first; at != last; ++at) shifted.push_back(*at - start_s);
    SimulationOptions options = simulation;
    options.duration_s = std::min(simulation.window_s, simulation.duration_s - start_s);
    windows[w] = solve(plans, alternation, problem, shifted, options);
  });
  return windows;
}

}  // namespace ridgewatt::schedule
