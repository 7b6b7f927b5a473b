// The interface to executors that run the tasks of a campaign: Slurm, GNU parallel over ssh, or
// this machine alone. An executor runs tasks and reports their states. Only the store decides
// whether a point is measured.
//
//   const auto executor = open_executor(ExecutorKind::kSlurm, plan.name, options);
//   const auto jobs = executor->submit(order_of(plan, kind, tasks, options));
//   for (const auto& state : executor->states(jobs)) ..
//
// A task is one self-contained command, `ridgewatt campaign run ..`. It needs no files except the
// program and those of the measured command. A task may run twice, or on two boards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/campaign/plan.h"

namespace ridgewatt::campaign {

enum class ExecutorKind { kSlurm, kParallel, kLocal };
constexpr auto enum_names(ExecutorKind) {
  return named<ExecutorKind>({{ExecutorKind::kSlurm, "slurm"},
                              {ExecutorKind::kParallel, "parallel"},
                              {ExecutorKind::kLocal, "local"}});
}

// Tasks for one kind of board, to be submitted to an executor.
struct Order {
  std::string campaign;
  std::string board_kind;
  // Expected number of boards that work at the same time.
  int boards = 1;
  // `arguments`: the words of `ridgewatt campaign run` without the points. `command`: the program
  // to measure, which follows "--".
  std::vector<std::string> arguments, command;
  std::vector<Task> tasks;
  double predicted_s = 0;  // of the longest task, including calibration; 0: unknown
  // Sum of the time limits of all points of the longest task, including calibration; 0: no limits.
  double limits_s = 0;
  std::vector<std::string> avoid = {};  // hosts that must not run these tasks
};

// Returns how long the program may run at a point: `limit_factor` times its predicted time, but at
// least `limit_floor_s`. Without a prediction the time is one hour (chosen: longer than any point
// of the shipped workloads). 0: no limit.
double point_limit_s(const PlannedPoint& point, const ExecutorOptions& options);
// Returns how long an executor lets a task run: `time_limit_s` if set, otherwise the larger of
// twice the predicted time and the sum of its points' limits, plus 10 minutes. 0: no limit, because
// there is no prediction.
double task_limit_s(const Order& order, const ExecutorOptions& options);

// Returns the complete command of one task, for executors that do not generate their own script.
std::vector<std::string> command_of(const Order& order, const Task& task);
// Returns the order for these tasks, which come from tasks_of(kind) or from a search.
Order order_of(const Plan& plan, const BoardKind& kind, const std::vector<Task>& tasks,
               const ExecutorOptions& options);

enum class TaskPhase {
  kQueued,
  kRunning,
  kHeld,    // queued, but the executor delays it or waits for an operator
  kEnded,   // finished, or no longer known to the executor
  kFailed,  // ended with an error that is final
};
constexpr auto enum_names(TaskPhase) {
  return named<TaskPhase>({{TaskPhase::kQueued, "queued"},
                           {TaskPhase::kRunning, "running"},
                           {TaskPhase::kHeld, "held"},
                           {TaskPhase::kEnded, "ended"},
                           {TaskPhase::kFailed, "failed"}});
}

struct TaskState {
  std::string job;  // Job::id
  std::string board_kind;
  int task = 0;
  TaskPhase phase = TaskPhase::kQueued;
  std::string node;  // node that runs the task
  std::string why;   // why the task is held or failed, from the executor or the task
};

// A host on which the executor can run tasks of a kind of board.
struct EngineNode {
  std::string name, board_kind;
  bool usable = true;         // whether the host can get a task, now or later
  std::string state, reason;  // in the executor's words: "drained", "Duplicate jobid"
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;
  // Returns the scripts that submit() would pass to the executor.
  virtual std::string preview(const Order& order) = 0;
  // Submits tasks and returns when the executor has accepted them. Returns several jobs if a single
  // script would be too large. Throws IoError with the executor's message if the executor refuses
  // or cannot be reached.
  virtual std::vector<Job> submit(const Order& order) = 0;
  // Returns the state of every task of these jobs. Throws IoError if the executor cannot be
  // queried.
  virtual std::vector<TaskState> states(const std::vector<Job>& jobs) = 0;
  // Starts a held task. Returns false if the executor or its permissions do not allow it.
  virtual bool release(const TaskState& task) = 0;
  // Removes a task that has not started and is no longer needed. An executor that starts all of its
  // tasks at the same time may ignore the call.
  virtual void drop(const TaskState& /*task*/) {}
  // Returns the hosts for boards of these kinds. Empty if the executor does not know them. Throws
  // IoError if the executor cannot be queried.
  virtual std::vector<EngineNode> nodes(const std::vector<std::string>& board_kinds) = 0;
  // Sets the hosts that get no more tasks of the job. They replace the hosts of an earlier call.
  // Running tasks continue. Returns false if the executor does not allow it.
  virtual bool set_aside(const Job& job, const std::vector<std::string>& hosts) = 0;
  // Ends running tasks and removes waiting ones.
  virtual void cancel(const Job& job) = 0;
};

// Throws UsageError for options that do not apply to the executor, and NotFoundError if programs of
// the executor are not installed.
std::unique_ptr<Executor> open_executor(ExecutorKind kind, const std::string& campaign,
                                        const ExecutorOptions& options);
// Returns the executor to which the plan was submitted. Throws UsageError if it was not submitted.
std::unique_ptr<Executor> executor_of(const Plan& plan);

}  // namespace ridgewatt::campaign
