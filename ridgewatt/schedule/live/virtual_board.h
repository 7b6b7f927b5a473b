// The live schedule in simulated time, with a fixed plan or a controller that changes it. An hour
// of simulated time takes milliseconds.
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
  double mode_change_s = 0;  // the device is idle during a mode change
  double epoch_s = 0.25;     // interval between calls of `replan`
  std::uint64_t seed = 1;
  // The true minibatch times of each mode, if they differ from the planned ones. Null: the planned
  // ones.
  const std::vector<LiveMode>* truth = nullptr;
  std::size_t most_grants = 0;  // maximum number of grants to record
};

struct VirtualGrant {
  bool training = false;
  std::size_t program = 0;
  double start_s = 0, end_s = 0;
};

struct VirtualRun {
  std::vector<std::vector<double>> latencies_s;  // Per program, by arrival. Negative: never served.
  double training_rounds = 0;
  int mode_changes = 0, plan_changes = 0;
  double energy_j = 0;  // of all minibatches
  std::vector<VirtualGrant> grants;
};

// Returns another plan, or empty, given the current time and the arrivals of each program so far.
using Replan = std::function<std::optional<LivePlan>(
    double now_s, std::span<const std::span<const double>> arrivals)>;

// Simulates a plan. `arrivals` has one ascending sequence per program.
VirtualRun run_virtual(const std::vector<LiveMode>& modes, LivePlan plan,
                       std::span<const std::vector<double>> arrivals,
                       const DispatchSettings& settings, const VirtualOptions& options,
                       const Replan& replan = {});

// Share of the requests that were over the bound or never served.
double late_share(std::span<const double> latencies_s, double max_latency_s);

}  // namespace ridgewatt::schedule::live
