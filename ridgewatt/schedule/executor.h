// The executor: grants minibatches to worker processes, one at a time, in the cycle of a plan.
//
// A worker connects to the Unix socket, says whether it does inference or training, asks for a
// minibatch, runs it when it is granted, and says when it is done. At most one worker holds the
// device at any time (until `native_from_s`, if that is set). A grant ends in one of two ways: the
// worker says `done`, or its process is dead. A worker that hangs is asked to stop at its deadline
// (`revoke`) and killed after a grace period; until the kernel confirms that it is dead the device
// stays held, because work that it queued may still run.
//
// Who is next: an inference worker that asks (its batch is gathered), first come first served;
// else, while the cycle has training minibatches left, training workers in turn. A cycle begins
// when an inference minibatch starts, or after 1.1 periods without one. Without inference workers
// training is not limited. With a `policy` (grant_policy.h) that one decides instead.
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
  int batch = 1;               // given to inference workers
  double period_s = 0;         // of the cycle; 0: cycles only begin with an inference minibatch
  int training_per_cycle = 1;  // training minibatches per cycle
  double infer_time_s = 0.1;   // planned times of a minibatch
  double train_time_s = 0.1;
  // A grant's deadline: this many times its planned time, but at least `least_deadline_s`.
  double deadline_factor = 5;
  double least_deadline_s = 1;
  double grace_s = 1;     // from revoke to SIGKILL
  bool kill_hung = true;  // off: a hung worker holds the device until it ends by itself
  double duration_s = 0;  // 0: until stopped
  // From then on the driver shares the device: whoever asks has it, together with others. 0: never.
  double native_from_s = 0;
  std::size_t max_workers = 64;
  int max_faults = 8;  // malformed or misplaced messages before a worker is dropped
  double hello_timeout_s = 5;
  GrantPolicy* policy = nullptr;  // must outlive the executor; null: the cycle above
  // Every grant when it ends, and everything remarkable, in words.
  std::function<void(const struct GrantRecord&)> on_grant;
  std::function<void(double time_s, const std::string&)> on_event;

  void check() const;
};

struct GrantRecord {
  std::uint64_t sequence = 0;
  std::string worker;
  WorkloadKind kind = WorkloadKind::kTraining;
  pid_t pid = 0;
  double granted_s = 0;  // since the executor began
  double released_s = 0;
  std::string outcome;  // "done", "late" (after revoke), "died", "killed"
  int requests = 0;     // that it was granted for; 0: not counted
  int aside = 0;        // older requests that this grant skipped
};

struct ExecutorSummary {
  std::uint64_t grants = 0;
  std::uint64_t inference_minibatches = 0;
  std::uint64_t training_minibatches = 0;
  std::uint64_t deaths = 0;  // workers that died or were killed while they held the device
  std::uint64_t revocations = 0;
  std::uint64_t faults = 0;    // malformed or misplaced messages
  std::uint64_t dropped = 0;   // connections closed by the executor
  std::uint64_t requests = 0;  // that workers reported
  double running_s = 0;
};

class Executor {
 public:
  // Makes the socket (mode 0600). Throws UsageError on bad options, Error when another controller
  // has the socket, PermissionError or IoError when it cannot be made.
  explicit Executor(ExecutorOptions options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Serves until `stop()`, or for duration_s. Once stopping no minibatch is granted, and the one in
  // flight is waited for until its deadline.
  ExecutorSummary run();
  // May be called from a signal handler or another thread.
  void stop() const;

 private:
  struct Holder {
    WorkerLink* link = nullptr;  // nothing once the connection is gone
    PeerProcess* peer = nullptr;
    PeerProcess orphan;  // takes over the peer when the connection goes first
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
  std::list<Holder> holders_;  // one, unless the driver shares the device
  ExecutorSummary summary_;
  std::uint64_t next_sequence_ = 1;
  double start_s_ = 0;
  double cycle_start_s_ = 0;
  int training_in_cycle_ = 0;
  double ask_again_s_ = 0;
  bool stopping_ = false;
};

}  // namespace ridgewatt::schedule
