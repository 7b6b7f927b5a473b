// Discrete-event simulation of one accelerator that serves inference requests and trains.
//
// It answers what the closed form of a plan cannot: the latency distribution under real arrivals,
// jitter, mode changes, and what other ways of sharing the device would have given.
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

enum class Sharing {
  kManaged,   // the cycle of the plan: a batch when it is due, training between, nothing preempted
  kPriority,  // strict inference priority: whatever waits is served at once, training when none
              // does
  kNative,    // time sharing by the driver: while both have work each progresses at
              // 1 / (2 x interference) of its speed
  kNoInterference  // the same with an interference of 1: what an ideal driver would do
};
constexpr auto enum_names(Sharing) {
  return named<Sharing>({{Sharing::kManaged, "managed"},
                         {Sharing::kPriority, "priority"},
                         {Sharing::kNative, "native"},
                         {Sharing::kNoInterference, "no-interference"}});
}

// How far native sharing of programs that fill the device falls short of ideal time slicing. Two
// processes on one NVIDIA GPU, time-sliced without MPS, of work that alone keeps it 96 % busy:
// 122.5 s for what takes 2 x 58.5 s one after the other (github.com/RobTand/prismaquant, issue 283,
// 2026).
inline constexpr double kNativeInterference = 122.5 / (2 * 58.5);
inline constexpr std::string_view kNativeInterferenceSource =
    "published: two time-sliced processes, RobTand/prismaquant issue 283";

// What the device does from now on.
struct ServingPlan {
  Candidate candidate;
  // The batches known at this mode, ascending, the candidate's among them: a partial batch is
  // padded to the next of these, a backlog is served with the largest that it fills. Empty: only
  // the candidate's.
  std::vector<Minibatch> batches;
  int training_per_cycle = 0;  // background rounds that a cycle may start
  double period_s = 0;         // planned: a cycle that no batch ends is over after it
};

// The serving plan of a plan. `batches` from the candidates of the same mode and background.
ServingPlan make_serving_plan(const Plan& plan, std::span<const Candidate> candidates);

// Re-planning while the simulation runs: asked every `epoch_s` with the arrivals so far (it must
// not know later ones).
class Controller {
 public:
  virtual ~Controller() = default;
  // A new serving plan, or nothing to stay with the present one.
  virtual std::optional<ServingPlan> decide(double now_s,
                                            std::span<const double> arrivals_so_far) = 0;
};

struct SimulationOptions {
  Sharing sharing = Sharing::kManaged;
  double duration_s = 0;  // arrivals after it are not served; training is counted up to it
  // Requests above it are violations.
  double max_latency_s = std::numeric_limits<double>::infinity();
  // A batch that is not full is sent off when its oldest request could no longer meet the bound
  // otherwise, and no training minibatch is started that would make it late. Off: batches are
  // always full, and training starts without looking, as in the closed form.
  bool deadline_dispatch = true;
  // Time kept in reserve by deadline dispatch, as a share of the bound.
  double deadline_reserve = 0.02;
  // Requests that can no longer meet the bound wait until those that can are served: an overload
  // then makes late what it must, and not what comes after it.
  bool late_last = false;
  // Training may exceed the rounds of the cycle while no batch is due. It blocks a batch that
  // becomes due in the meantime, which the strict bound allows for.
  bool fill_idle = false;
  double jitter = 0;         // coefficient of variation of minibatch times (log-normal)
  double mode_change_s = 0;  // device is idle while the mode changes
  double epoch_s = 1;        // how often the controller is asked
  double interference = kNativeInterference;  // of native sharing
  // While both run by native sharing; nothing: the higher of both powers.
  std::optional<double> shared_power_w = {};
  double power_bin_s = 1;             // resolution of power over time
  double window_s = 60;               // resolution of the windows
  std::size_t timeline_segments = 0;  // how many segments of the timeline to keep
  std::uint64_t seed = 1;

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
  int batch = 0;  // requests served; 0 otherwise
  double power_w = 0;
};

// Requests that arrived in a window of time and background rounds run in it, those that reach over
// its edge in proportion to their time.
struct Window {
  std::size_t requests = 0;
  double p99_s = 0;  // 0 without requests
  double training_minibatches = 0;
};

struct Simulation {
  std::size_t requests = 0;  // served
  std::size_t unserved = 0;  // left in an unfilled batch at the end
  std::size_t violations = 0;
  double mean_latency_s = 0, p50_s = 0, p95_s = 0, p99_s = 0, worst_s = 0;
  std::size_t longest_queue = 0;
  std::size_t inference_minibatches = 0;
  double training_minibatches = 0;    // rounds ended by duration_s
  double training_throughput_hz = 0;  // rounds per second
  double busy_share = 0;
  double energy_j = 0;
  double mean_power_w = 0;
  double peak_power_w = 0;
  int mode_changes = 0;
  std::vector<double> latencies_s;  // in order of arrival
  std::vector<double> power_w;      // mean power of each bin of power_bin_s
  std::vector<Window> windows;
  std::vector<Segment> timeline;
};

// `arrivals` ascending. Throws UsageError on bad options.
Simulation simulate(const ServingPlan& serving, std::span<const double> arrivals,
                    const SimulationOptions& options, Controller* controller = nullptr);

}  // namespace ridgewatt::schedule
