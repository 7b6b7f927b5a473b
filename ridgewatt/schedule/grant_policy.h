// The seam of the executor for schedules that change: who is granted next, and how many of its
// requests the minibatch is for. Without one the executor keeps the fixed cycle of a plan.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

struct GrantRecord;

// A worker that said hello. All times are seconds since the executor began.
struct WorkerView {
  std::string name;
  WorkloadKind kind = WorkloadKind::kTraining;
  bool ready = false;     // asks for a minibatch
  bool counting = false;  // reports its requests
  double since_s = 0;     // when it became ready, or ceased to be
};

// What a minibatch is granted for.
struct Grant {
  std::size_t worker = 0;  // index in the views
  double planned_s = 0;    // what it should take
  int requests = 0;        // how many, beginning after the `aside` oldest that wait; 0: not counted
  int aside = 0;
};

struct GrantDecision {
  std::optional<Grant> grant;
  // Without a grant: when to ask again, if nothing happens before.
  double ask_again_s = std::numeric_limits<double>::infinity();
};

// Called by the executor's thread alone.
class GrantPolicy {
 public:
  virtual ~GrantPolicy() = default;
  // Why a worker may not join; empty: it may.
  virtual std::string joining(const WorkerView& worker, double now_s) = 0;
  virtual void left(const WorkerView& worker, double now_s) = 0;
  // `count` requests of a worker arrived at `time_s`, as the worker says.
  virtual void arrived(const WorkerView& worker, int count, double time_s) = 0;
  // A worker asks; `waiting` requests wait with it, nothing when it does not count them.
  virtual void asked(const WorkerView& worker, std::optional<int> waiting, double now_s) = 0;
  // Asked while the device is free, and again after each event. May take its time (to set a power
  // mode): nothing runs on the device until it returns.
  virtual GrantDecision next(double now_s, std::span<const WorkerView> workers) = 0;
  // The driver shares the device: next() is also asked while others hold it.
  virtual bool shares_device(double /*now_s*/) const { return false; }
  // A grant ended.
  virtual void released(const GrantRecord& record) = 0;
};

}  // namespace ridgewatt::schedule
