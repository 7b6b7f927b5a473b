// The interface to the engines that run a campaign's tasks: Slurm, GNU parallel over ssh, or only
// this machine. An engine runs tasks and reports their states, but only the store decides whether a
// point exists.
//
//   const auto executor = open_executor(ExecutorKind::kSlurm, options);
//   Job job = executor->submit(order_of(plan, kind, tasks));
//   for (const auto& state : executor->states({job})) ..
//
// A task is one self-contained command, `ridgewatt campaign run ..`: it needs no file except the
// program and the files that its COMMAND needs. It may run twice, or on two boards.
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

// A request to an engine: tasks of one kind of board.
struct Order {
  std::string campaign;
  std::string board_kind;
  int boards = 1;
  // `ridgewatt campaign run` with everything except the points; the program to measure follows
  // "--".
  std::vector<std::string> arguments, command;
  std::vector<Task> tasks;
  double predicted_s = 0;  // predicted, for the longest task, including calibration; 0: unknown
  double limits_s = 0;     // sum of the limits of the points of the longest task; 0: one has none
  std::vector<std::string> avoid = {};  // hosts that must not run it
};

// How long the program may run at a point: `limit_factor` times its prediction, at least
// `limit_floor_s`. An hour where there is no prediction (chosen: longer than any point of the
// shipped workloads). 0: no limit.
double point_limit_s(const PlannedPoint& point, const ExecutorOptions& options);
// How long an engine lets a task run: the given limit, or what is more of twice the predicted time
// and the limits of its points, and 10 minutes. 0: none, because there is no prediction.
double task_limit_s(const Order& order, const ExecutorOptions& options);

// The whole command of one task, for engines without a script of their own.
std::vector<std::string> command_of(const Order& order, const Task& task);
// The order for these tasks of a kind; tasks may differ from tasks_of(kind), for points that a
// search requests.
Order order_of(const Plan& plan, const BoardKind& kind, const std::vector<Task>& tasks,
               const ExecutorOptions& options);

enum class TaskPhase {
  kQueued,
  kRunning,
  kHeld,    // queued, but the engine waits before it tries again, or for an operator
  kEnded,   // finished, or unknown to the engine
  kFailed,  // ended with a final error status
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
  std::string node;  // the node that runs it
  std::string why;   // reason for held or failed, from the engine or the task
};

// A host that the engine has for boards of a kind.
struct EngineNode {
  std::string name, board_kind;
  bool usable = true;         // it may get a task, now or when it is free
  std::string state, reason;  // as the engine reports them: "drained", "Duplicate jobid"
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;
  // The scripts that submit() would pass on, as text.
  virtual std::string preview(const Order& order) = 0;
  // Returns when the engine has accepted the order. Throws IoError with the engine's message if it
  // refuses or cannot be reached. More than one job if one script would be too large.
  virtual std::vector<Job> submit(const Order& order) = 0;
  // The state of every task of every job. Throws IoError if the engine cannot be queried.
  virtual std::vector<TaskState> states(const std::vector<Job>& jobs) = 0;
  // Lets a held task start now. Returns false if the engine or its permissions do not allow it.
  virtual bool release(const TaskState& task) = 0;
  // Removes a task that has not started and is no longer needed. Engines that start all their tasks
  // may ignore it.
  virtual void drop(const TaskState& /*task*/) {}
  // The hosts for boards of these kinds. Empty: the engine does not know them. Throws IoError.
  virtual std::vector<EngineNode> nodes(const std::vector<std::string>& board_kinds) = 0;
  // From now on these hosts, and no others, get no more tasks of the job. What runs there ends by
  // itself. Returns false if the engine does not allow it.
  virtual bool set_aside(const Job& job, const std::vector<std::string>& hosts) = 0;
  // Ends running tasks and drops waiting ones. Has no effect on finished tasks.
  virtual void cancel(const Job& job) = 0;
};

// Throws UsageError for options that the kind does not have, NotFoundError if the programs of the
// engine are not installed.
std::unique_ptr<Executor> open_executor(ExecutorKind kind, const std::string& campaign,
                                        const ExecutorOptions& options);
// The executor that the plan was submitted to; throws UsageError if it was not submitted.
std::unique_ptr<Executor> executor_of(const Plan& plan);

}  // namespace ridgewatt::campaign
