// Who has the device next: the rule that the live schedule and its simulation share.
//
// Requests of each program gather into batches. A batch is sent off when it is full, or when its
// oldest request could no longer be in time otherwise; among several, the earliest deadline first.
// Training runs while it can end before the next batch is due. Requests that can no longer be in
// time step aside for those that can, and are served when they are in nobody's way. Nothing is
// preempted: what is due counts the minibatches that go before it.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "ridgewatt/schedule/live_mode.h"

namespace ridgewatt::schedule::live {

struct DispatchSettings {
  std::vector<double> max_latency_s;  // of each program
  double reserve = 0.02;              // kept of each bound, as a share
  double reserve_s = 0;               // and in time, for the way of messages
  bool late_last = true;              // off: requests keep their order
  double switch_s = 0;                // the first minibatch after another program's takes longer
};

enum class Presence { kAbsent, kBusy, kReady };  // of a program's worker

struct Move {
  enum class Kind { kWait, kServe, kTrain };
  Kind kind = Kind::kWait;
  std::size_t program = 0;
  std::size_t count = 0;  // requests, after the `aside` oldest
  std::size_t aside = 0;
  Minibatch minibatch;                                       // as planned, the switch not counted
  double until_s = std::numeric_limits<double>::infinity();  // kWait
};

class Dispatcher {
 public:
  explicit Dispatcher(DispatchSettings settings);

  // A request; those of a program may come out of order.
  void arrive(std::size_t program, double time_s);
  // What waits of a program, oldest first.
  const std::deque<double>& waiting(std::size_t program) const { return queues_[program]; }
  // Takes the requests of a move; returns when they arrived.
  std::vector<double> take(std::size_t program, std::size_t count, std::size_t aside);
  // All that waits of a program is gone.
  void forget(std::size_t program) { queues_[program].clear(); }

  // `next_training`: which minibatch of the round the worker that is ready does. `last`: the
  // program that ran last; any number from the count of programs on: training.
  Move next(double now_s, const LiveMode& mode, const LivePlan& plan,
            std::span<const Presence> presence, bool training_ready, std::size_t next_training,
            std::size_t last) const;

 private:
  struct Due {
    std::size_t program = 0;
    double deadline_s = 0;  // of its oldest request that can be in time
    std::size_t queued = 0;
    std::size_t late = 0;
  };
  double latest_end_s(std::size_t program, double arrival_s) const;
  std::vector<Due> dues(double now_s, const LiveMode& mode, const LivePlan& plan,
                        std::span<const Presence> presence, std::vector<std::size_t>& late) const;
  double must_start_s(const std::vector<Due>& dues, const LiveMode& mode, const LivePlan& plan,
                      bool filled) const;
  Move serve(double now_s, const LiveMode& mode, const LivePlan& plan, const Due& due) const;

  DispatchSettings settings_;
  std::vector<std::deque<double>> queues_;
};

}  // namespace ridgewatt::schedule::live
