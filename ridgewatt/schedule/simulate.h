// Discrete-event simulation of an accelerator that serves inference requests and trains. Use it for
// results that the formulas of a plan (cycle.h) do not give: the latency distribution under random
// or recorded arrivals, jitter, mode changes, and other ways of sharing the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::schedule {

// How programs share the device.
enum class Sharing {
  kManaged,   // the plan's cycle: batches when due, training in between, no preemption
  kPriority,  // waiting requests are served immediately; training runs only when none wait
  // Time slicing by the driver: while both have work, each runs at 1 / (2 x interference) of its
  // speed.
  kNative,
  // Like kNative, but with an ideal driver: switching costs nothing, so the interference is at most
  // 1.
  kNoInterference
};
constexpr auto enum_names(Sharing) {
  return named<Sharing>({{Sharing::kManaged, "managed"},
                         {Sharing::kPriority, "priority"},
                         {Sharing::kNative, "native"},
                         {Sharing::kNoInterference, "no-interference"}});
}

// Interference factor of native sharing for programs that fill the device. Published measurement:
// two processes on one NVIDIA GPU, time-sliced without MPS, took 122.5 s instead of 2 x 58.5 s in
// succession; when run alone, each process kept the GPU 96 % busy (github.com/RobTand/prismaquant,
// issue 283, 2026).
inline constexpr double kNativeInterference = 122.5 / (2 * 58.5);
inline constexpr std::string_view kNativeInterferenceSource =
    "published: two time-sliced processes, RobTand/prismaquant issue 283";

// Instructions for the device.
struct ServingPlan {
  Candidate candidate;
  // The batches known in this mode, ascending, including the candidate's. A partial batch is padded
  // to the next larger batch; a backlog is served with the largest batch that it fills. Empty: only
  // the candidate's batch.
  std::vector<Minibatch> batches;
  int training_per_cycle = 0;  // background rounds that a cycle may start
  // Planned period. A cycle without a batch ends kOverduePeriods periods after its start.
  double period_s = 0;
};

// Returns the serving plan of a plan. Its `batches` come from the `candidates` with the same mode
// and background.
ServingPlan make_serving_plan(const Plan& plan, std::span<const Candidate> candidates);

// Changes the plan during a simulation.
class Controller {
 public:
  virtual ~Controller() = default;
  // Called every `epoch_s` with the arrivals up to `now_s`. Returns a new serving plan; empty: keep
  // the current one.
  virtual std::optional<ServingPlan> decide(double now_s,
                                            std::span<const double> arrivals_so_far) = 0;
};

struct SimulationOptions {
  Sharing sharing = Sharing::kManaged;
  double duration_s = 0;  // later arrivals are ignored; training counts up to this time
  // Requests with a higher latency are violations.
  double max_latency_s = std::numeric_limits<double>::infinity();
  // Start a batch before it is full if its oldest request would otherwise miss the latency bound,
  // and start no training minibatch that would make such a batch late. False: batches are always
  // full and training starts regardless of deadlines, as in the closed form.
  bool deadline_dispatch = true;
  // Share of the latency bound reserved by deadline_dispatch.
  double deadline_reserve = 0.02;
  // Requests that can no longer meet the bound wait until all others are served. In an overload,
  // this keeps later requests from being late as well.
  bool late_last = false;
  // While no batch is due, training may run more rounds than planned. A round may delay a batch
  // that becomes due during it; Bound::kStrict includes this delay.
  bool fill_idle = false;
  double jitter = 0;         // coefficient of variation of minibatch times (log-normal)
  double mode_change_s = 0;  // the device is idle during a mode change
  double epoch_s = 1;        // interval between calls of the controller
  double interference = kNativeInterference;  // for native sharing
  // Power while both programs run under native sharing. Absent: the higher of both powers.
  std::optional<double> shared_power_w = {};
  double power_bin_s = 1;             // length of the bins of Simulation::power_w
  double window_s = 60;               // length of Simulation::windows
  std::size_t timeline_segments = 0;  // maximum number of segments kept in Simulation::timeline
  std::uint64_t seed = 1;

  // Throws UsageError for an invalid option.
  void check() const;
};

struct Segment {
  enum class Kind { kInference, kTraining, kShared, kModeChange };
  friend constexpr auto enum_names(Kind) {
    return named<Kind>({{Kind::kInference, "inference"},
                        {Kind::kTraining, "training"},
                        {Kind::kShared, "shared"},
                        {Kind::kModeChange, "mode_change"}});
  }
  Kind kind = Kind::kInference;
  double start_s = 0;
  double end_s = 0;
  int batch = 0;  // number of requests served; 0 if it is not inference
  double power_w = 0;
};

// The requests that arrived in a time window, and the background rounds that ran in it. Rounds
// across an edge of the window count in proportion to their time.
struct Window {
  std::size_t requests = 0;
  double p99_s = 0;  // of the latencies; 0 without requests
  double training_minibatches = 0;
};

struct Simulation {
  std::size_t requests = 0;  // number of served requests
  std::size_t unserved = 0;  // requests that still wait at the end
  // Served requests with a latency above the bound.
  std::size_t violations = 0;
  double mean_latency_s = 0, p50_s = 0, p95_s = 0, p99_s = 0, worst_s = 0;
  std::size_t longest_queue = 0;
  std::size_t inference_minibatches = 0;
  double training_minibatches = 0;    // rounds that ended by duration_s
  double training_throughput_hz = 0;  // rounds per second
  double busy_share = 0;
  double energy_j = 0;
  double mean_power_w = 0;
  double peak_power_w = 0;
  int mode_changes = 0;
  std::vector<double> latencies_s;  // in order of arrival
  std::vector<double> power_w;      // mean power in each bin of power_bin_s
  std::vector<Window> windows;
  std::vector<Segment> timeline;
};

// `arrivals` must be ascending. A null `controller` keeps the plan. Throws UsageError for invalid
// options.
Simulation simulate(const ServingPlan& serving, std::span<const double> arrivals,
                    const SimulationOptions& options, Controller* controller = nullptr);

}  // namespace ridgewatt::schedule
