// A policy for the executor (executor.h) that serves several inference programs, each with a
// latency bound, and trains in the background. It estimates arrival rates from the workers' reports
// and changes the plan, and with it the power mode, by the rules of dynamic.h.
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
  // The measured time of mode changes replaces `mode_change_s`, which is only a first estimate.
  DynamicOptions dynamic = {};
  // Sets a mode and returns when it is set. Null: modes are planned but not set.
  std::function<void(const PowerMode&)> set_mode = {};
  // Names of the training programs, in the order of a round. A worker with another name gets the
  // next free place.
  std::vector<std::string> training = {};
  // Called about once per second while the device is free. An exception ends the schedule.
  std::function<void()> watch = {};
  std::function<void(double time_s, const std::string&)> on_event = {};
  // Factor by which the time of the schedule (bounds, rates, minibatches, windows) is faster than
  // real time. For tests on a fake board; otherwise 1.
  double speed = 1;
  double switch_s = 0;        // additional time of the first minibatch after one of another program
  double reserve_s = 0.005;   // part of each latency bound reserved for the transport of messages
  double window_s = 60;       // length of the windows of the summary
  bool correct_times = true;  // adjust planned times to measured ones
  bool plan_aside = true;     // plan in a separate thread; false: the device waits for the planner
  // Seed of the simulated arrivals that rank plans.
  std::uint64_t seed = 1;

  // Throws UsageError for an invalid option.
  void check() const;
};

// The requests of a program that arrived in one window.
struct LiveWindow {
  std::size_t requests = 0;
  std::size_t late = 0;  // over the latency bound, or never served
  double p99_s = 0;      // infinite if requests were never served
};

struct LiveProgramSummary {
  std::string name;
  std::size_t requests = 0;
  std::size_t late = 0;
  std::size_t lost = 0;  // in `late`: lost with a worker that died, or unserved at the end
  double p50_s = 0, p99_s = 0;
  double rate_hz = 0;      // last estimate
  std::size_t joined = 0;  // number of workers so far; more than one if the worker was restarted
  std::vector<LiveWindow> windows;
  // Windows whose 99th percentile of latency is within the bound, and all windows with requests.
  std::size_t windows_met = 0, windows_used = 0;
};

struct LiveSummary {
  std::vector<LiveProgramSummary> programs;
  double duration_s = 0;  // in the time of the schedule
  double training_minibatches = 0;
  std::size_t plan_changes = 0, mode_changes = 0;
  double mode_change_s = 0;          // mean, in real time
  double longest_mode_change_s = 0;  // in real time
  std::size_t corrections = 0;       // number of times that planned times were adjusted
};

class LiveScheduler : public GrantPolicy {
 public:
  // Throws UsageError for invalid options or programs.
  LiveScheduler(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
                LiveOptions options);
  ~LiveScheduler() override;

  std::string joining(const WorkerView& worker, double now_s) override;
  void left(const WorkerView& worker, double now_s) override;
  void arrived(const WorkerView& worker, int count, double time_s) override;
  void asked(const WorkerView& worker, std::optional<int> waiting, double now_s) override;
  GrantDecision next(double now_s, std::span<const WorkerView> workers) override;
  void released(const GrantRecord& record) override;

  // Returns the current plan.
  const LivePlan& plan() const;
  // Call it after the executor has ended.
  LiveSummary summary() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::schedule
