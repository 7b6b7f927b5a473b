// The rule that decides which program gets the device next. The live schedule and its simulation
// share it.
//
// Requests of each program are collected into batches. A batch is started when it is full, or when
// its oldest request would otherwise be late; among several batches, the earliest deadline goes
// first. Training runs if it can end before the next batch must start. Requests that can no longer
// be in time are skipped, and served only when they delay no other requests. Minibatches are never
// preempted, so the latest start of a batch includes time for the minibatches before it.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "ridgewatt/schedule/live_mode.h"

namespace ridgewatt::schedule::live {

struct DispatchSettings {
  std::vector<double> max_latency_s;  // latency bound of each program
  double reserve = 0.02;              // reserved share of each bound
  double reserve_s = 0;               // reserved time of each bound, for the transport of messages
  bool late_last = true;              // false: requests are served in their order
  double switch_s = 0;  // additional time of the first minibatch after one of another program
};

enum class Presence { kAbsent, kBusy, kReady };  // state of a program's worker

struct Move {
  enum class Kind { kWait, kServe, kTrain };
  Kind kind = Kind::kWait;
  std::size_t program = 0;
  std::size_t count = 0;  // number of requests to serve, after skipping the `aside` oldest
  std::size_t aside = 0;
  Minibatch minibatch;                                       // as planned, without a switch
  double until_s = std::numeric_limits<double>::infinity();  // for kWait: when to decide again
};

class Dispatcher {
 public:
  explicit Dispatcher(DispatchSettings settings);

  // Adds a request. The requests of a program may arrive out of order.
  void arrive(std::size_t program, double time_s);
  // Arrival times of the waiting requests of a program, oldest first.
  const std::deque<double>& waiting(std::size_t program) const { return queues_[program]; }
  // Removes the requests of a move and returns their arrival times.
  std::vector<double> take(std::size_t program, std::size_t count, std::size_t aside);
  // Removes all waiting requests of a program.
  void forget(std::size_t program) { queues_[program].clear(); }

  // Decides the next move. `presence` has one entry per program. `training_ready`: whether a
  // training worker waits. `next_training`: index of its minibatch in the round. `last`: the
  // program that ran last; a value of at least the number of programs means training.
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
