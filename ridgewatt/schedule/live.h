// Schedules that live: several inference programs with a latency bound each and background
// training, on the executor (executor.h). Arrival rates are estimated from what the workers report,
// the plan is changed among known modes by the policy of dynamic.h, and with it the power mode.
//
//   LiveScheduler policy(live_modes(inference, training, 30), programs, options);
//   executor_options.policy = &policy;
//   executor.run();
//   const LiveSummary summary = policy.summary();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/executor.h"
#include "ridgewatt/schedule/live_mode.h"

namespace ridgewatt::schedule {

struct LiveOptions {
  // Its `mode_change_s` is a guess, replaced by what changes are seen to take.
  DynamicOptions dynamic = {};
  // Sets a mode and returns when it is set; absent: modes are planned with, but not set.
  std::function<void(const PowerMode&)> set_mode = {};
  // Names of the training programs, in the order of a round; a worker of another name takes the
  // next place.
  std::vector<std::string> training = {};
  // Called about once a second while the device is free; an exception ends the schedule.
  std::function<void()> watch = {};
  std::function<void(double time_s, const std::string&)> on_event = {};
  // Everything in the schedule's time, which runs this many times as fast as the clock: bounds,
  // rates, minibatches, windows. For rehearsals on a fake board; else 1.
  double speed = 1;
  double switch_s = 0;        // the first minibatch after another program's takes so much longer
  double reserve_s = 0.005;   // of each bound, for the way of messages
  double window_s = 60;       // of the summary
  bool correct_times = true;  // planned times follow the measured ones
  bool plan_aside = true;  // plans are made in a thread of their own; off: while the device waits
  std::uint64_t seed = 1;

  void check() const;
};

// Requests of a program that arrived in a window.
struct LiveWindow {
  std::size_t requests = 0;
  std::size_t late = 0;  // over the bound, or never served
  double p99_s = 0;      // infinite when never served
};

struct LiveProgramSummary {
  std::string name;
  std::size_t requests = 0;
  std::size_t late = 0;
  std::size_t lost = 0;  // of them: with a worker that died, or unserved at the end
  double p50_s = 0, p99_s = 0;
  double rate_hz = 0;      // as estimated last
  std::size_t joined = 0;  // workers: more than one when it was restarted
  std::vector<LiveWindow> windows;
  // Windows with requests whose 99th percentile kept the bound, and all with requests.
  std::size_t windows_met = 0, windows_used = 0;
};

struct LiveSummary {
  std::vector<LiveProgramSummary> programs;
  double duration_s = 0;  // in the schedule's time
  double training_minibatches = 0;
  std::size_t plan_changes = 0, mode_changes = 0;
  double mode_change_s = 0;          // mean, of the clock
  double longest_mode_change_s = 0;  // of the clock
  std::size_t corrections = 0;       // of planned times
  double planned_energy_j = 0;       // of all minibatches, by their planned power
};

class LiveScheduler : public GrantPolicy {
 public:
  // UsageError on bad options or programs.
  LiveScheduler(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
                LiveOptions options);
  ~LiveScheduler() override;

  std::string joining(const WorkerView& worker, double now_s) override;
  void left(const WorkerView& worker, double now_s) override;
  void arrived(const WorkerView& worker, int count, double time_s) override;
  void asked(const WorkerView& worker, std::optional<int> waiting, double now_s) override;
  GrantDecision next(double now_s, std::span<const WorkerView> workers) override;
  void released(const GrantRecord& record) override;

  const LivePlan& plan() const;
  // After the executor ran.
  LiveSummary summary() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::schedule
