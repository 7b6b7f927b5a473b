// The executor grants minibatches to worker processes, one at a time, in the cycle of a plan
// (cycle.h).
//
// A worker connects to the Unix socket, states whether it does inference or training, requests a
// minibatch, runs it after the grant, and reports its end. At most one worker holds the device at
// any time (until `native_from_s`, if set). A grant ends when the worker says `done` or its process
// is dead. A worker that exceeds its deadline gets the message `revoke` and is killed after a grace
// period. Until the kernel confirms its death, nobody else gets the device, because queued work may
// still run.
//
// The next grant goes to the inference worker that has waited longest; a worker requests a grant
// when its batch is complete. If none waits and the cycle has training minibatches left, training
// workers get grants in turn. A cycle begins when an inference minibatch starts, or after 1.1
// periods without one. Without inference workers, training is not limited. A `policy`
// (grant_policy.h) replaces these rules.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/schedule/grant_policy.h"
#include "ridgewatt/schedule/worker_link.h"

namespace ridgewatt::schedule {

struct ExecutorOptions {
  std::string socket_path;
  int batch = 1;        // sent to inference workers
  double period_s = 0;  // Period of the cycle. 0: a cycle begins only with an inference minibatch.
  int training_per_cycle = 1;  // training minibatches per cycle
  double infer_time_s = 0.1;   // planned time of a minibatch
  double train_time_s = 0.1;
  // A grant's deadline is this factor times its planned time, but at least `least_deadline_s`.
  double deadline_factor = 5;
  double least_deadline_s = 1;
  double grace_s = 1;     // time from revoke to SIGKILL
  bool kill_hung = true;  // false: a hung worker holds the device until it ends by itself
  double duration_s = 0;  // 0: until stop()
  // From this time on, the driver shares the device: every worker gets a grant at its request. 0:
  // never. Not used with a policy.
  double native_from_s = 0;
  std::size_t max_workers = 64;
  int max_faults = 8;  // malformed or unexpected messages before a worker is disconnected
  // A worker that sends no `hello` within this time is disconnected.
  double hello_timeout_s = 5;
  GrantPolicy* policy = nullptr;  // Must outlive the executor. Null: the rules above apply.
  // Callbacks, called from the thread of run(): at the end of every grant, and at other events, as
  // text.
  std::function<void(const struct GrantRecord&)> on_grant;
  std::function<void(double time_s, const std::string&)> on_event;

  // Throws UsageError for an invalid option.
  void check() const;
};

struct GrantRecord {
  std::uint64_t sequence = 0;
  std::string worker;
  WorkloadKind kind = WorkloadKind::kTraining;
  pid_t pid = 0;
  double granted_s = 0;  // seconds since the start of the executor
  double released_s = 0;
  std::string outcome;  // "done", "late" (done after revoke), "died", "killed"
  int requests = 0;     // Number of requests in the batch. 0: not counted.
  int aside = 0;        // number of older requests that this grant skipped
};

struct ExecutorSummary {
  std::uint64_t grants = 0;
  std::uint64_t inference_minibatches = 0;
  std::uint64_t training_minibatches = 0;
  std::uint64_t deaths = 0;  // workers that died or were killed while they held the device
  std::uint64_t revocations = 0;
  std::uint64_t faults = 0;    // malformed or unexpected messages
  std::uint64_t dropped = 0;   // connections closed by the executor
  std::uint64_t requests = 0;  // requests that workers reported
  double running_s = 0;
};

class Executor {
 public:
  // Creates the socket (mode 0600). Throws UsageError for invalid options, InputError if the path
  // exists and is not a socket, Error if another controller uses the socket, and PermissionError or
  // IoError if it cannot be created.
  explicit Executor(ExecutorOptions options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Serves until stop() or for duration_s. Then grants no more minibatches and waits for the
  // running one, at most until its deadline and grace period are over.
  ExecutorSummary run();
  // Can be called from a signal handler or another thread.
  void stop() const;

 private:
  struct Holder {
    WorkerLink* link = nullptr;  // null once the connection is closed
    PeerProcess* peer = nullptr;
    PeerProcess orphan;  // owns the peer if the connection closes before the grant ends
    GrantRecord record;
    double deadline_s = 0;
    double kill_s = 0;
    bool revoked = false;
    bool killed = false;
  };

  double now_s() const;
  void event(const std::string& text) const;
  void open_socket();
  void wait_for_events();
  void accept_workers();
  void read_worker(WorkerLink& link);
  void handle(WorkerLink& link, const WorkerMessage& message);
  void fault(WorkerLink& link, const std::string& text);
  void drop_closing();
  void watch_holders();
  void watch(Holder& holder);
  void release(Holder& holder, const std::string& outcome);
  Holder* held_by(const WorkerLink& link);
  bool native() const;
  void grant_next();
  WorkerLink* longest_waiting(WorkloadKind kind);
  bool has_inference() const;
  void grant(WorkerLink& link);
  void grant(WorkerLink& link, const Grant& grant);
  void ask_policy();
  void count_requests(WorkerLink& link, const WorkerMessage& message);
  double next_timeout_s() const;

  ExecutorOptions options_;
  OwnedFd lock_, listener_, stop_event_;
  std::list<WorkerLink> workers_;
  std::list<Holder> holders_;  // at most one, unless the driver shares the device
  ExecutorSummary summary_;
  std::uint64_t next_sequence_ = 1;
  double start_s_ = 0;
  double cycle_start_s_ = 0;
  int training_in_cycle_ = 0;
  double ask_again_s_ = 0;
  bool stopping_ = false;
};

}  // namespace ridgewatt::schedule
