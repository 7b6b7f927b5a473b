// The live schedule in simulated time: a plan, or a controller that changes it, on arrivals of
// several programs. Milliseconds for an hour of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/schedule/live/dispatcher.h"

namespace ridgewatt::schedule::live {

struct VirtualOptions {
  double duration_s = 60;
  double jitter = 0;         // coefficient of variation of minibatch times (log-normal)
  double mode_change_s = 0;  // the device is idle during it
  double epoch_s = 0.25;     // how often `replan` is asked
  std::uint64_t seed = 1;
  // Of what really runs, in place of the plan's own table: minibatch times of each mode.
  const std::vector<LiveMode>* truth = nullptr;
  std::size_t most_grants = 0;  // to keep
};

struct VirtualGrant {
  bool training = false;
  std::size_t program = 0;
  double start_s = 0, end_s = 0;
};

struct VirtualRun {
  std::vector<std::vector<double>> latencies_s;  // of each program, by arrival; negative: never
  double training_rounds = 0;
  int mode_changes = 0, plan_changes = 0;
  double energy_j = 0;  // of the minibatches
  std::vector<VirtualGrant> grants;
};

// Given now and the arrivals of each program so far: another plan, or nothing.
using Replan = std::function<std::optional<LivePlan>(
    double now_s, std::span<const std::span<const double>> arrivals)>;

// `arrivals` of each program, ascending.
VirtualRun run_virtual(const std::vector<LiveMode>& modes, LivePlan plan,
                       std::span<const std::vector<double>> arrivals,
                       const DispatchSettings& settings, const VirtualOptions& options,
                       const Replan& replan = {});

// Share of the requests over the bound or never served.
double late_share(std::span<const double> latencies_s, double max_latency_s);

}  // namespace ridgewatt::schedule::live
