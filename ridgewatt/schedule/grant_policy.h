// Interface for schedules that change at runtime: decides for the executor which worker gets the
// next grant, and for how many of its requests. Without a policy, the executor uses the fixed cycle
// of a plan.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

struct GrantRecord;

// A worker that has joined. All times are seconds since the start of the executor.
struct WorkerView {
  std::string name;
  WorkloadKind kind = WorkloadKind::kTraining;
  bool ready = false;     // waits for a grant
  bool counting = false;  // reports its requests
  double since_s = 0;     // time of the last change of `ready`
};

// A decision to grant a minibatch.
struct Grant {
  std::size_t worker = 0;  // index in the span of views
  double planned_s = 0;    // planned duration of the minibatch
  // Number of requests to serve, after skipping the `aside` oldest. 0: not counted.
  int requests = 0;
  int aside = 0;
};

struct GrantDecision {
  std::optional<Grant> grant;
  // Without a grant: time at which to call next() again if no event occurs earlier.
  double ask_again_s = std::numeric_limits<double>::infinity();
};

// Called only by the executor's thread.
class GrantPolicy {
 public:
  virtual ~GrantPolicy() = default;
  // Called when a worker joins. Returns the reason if it must not join; empty: it may.
  virtual std::string joining(const WorkerView& worker, double now_s) = 0;
  // Called when a worker disconnects.
  virtual void left(const WorkerView& worker, double now_s) = 0;
  // Called when a worker reports `count` requests that arrived at `time_s`.
  virtual void arrived(const WorkerView& worker, int count, double time_s) = 0;
  // Called when a worker asks for a minibatch. `waiting` is the total number of its waiting
  // requests; empty if it does not report them.
  virtual void asked(const WorkerView& worker, std::optional<int> waiting, double now_s) = 0;
  // Called while the device is free, after each event. It may block, for example to set a power
  // mode. Nothing runs on the device until it returns.
  virtual GrantDecision next(double now_s, std::span<const WorkerView> workers) = 0;
  // True while the driver shares the device. next() is then also called while other workers hold
  // it.
  virtual bool shares_device(double /*now_s*/) const { return false; }
  // Called when a grant ends.
  virtual void released(const GrantRecord& record) = 0;
};

}  // namespace ridgewatt::schedule
