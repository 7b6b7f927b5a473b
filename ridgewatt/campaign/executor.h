// The seam to the engines that run a campaign's tasks: Slurm, GNU parallel over ssh, or this
// machine alone. An engine is asked to run tasks and where they stand, and is never believed that a
// point is there: that, only the store says.
//
//   const auto executor = open_executor(ExecutorKind::kSlurm, options);
//   Job job = executor->submit(order_of(plan, kind, tasks));
//   for (const auto& state : executor->states({job})) ..
//
// A task is one command, `ridgewatt campaign run ..`, whole in itself: it needs no file but the
// program and whatever its COMMAND needs. It may be run twice, or by two boards.
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

// What an engine is asked to run: tasks of one kind of board.
struct Order {
  std::string campaign;
  std::string board_kind;
  int boards = 1;
  // `ridgewatt campaign run` with all but the points; what follows "--" is the program to measure.
  std::vector<std::string> arguments, command;
  std::vector<Task> tasks;
  double foretold_s = 0;  // of the longest task, calibration included; 0: not known
};

// The whole command of one task, for engines without a script of their own.
std::vector<std::string> command_of(const Order& order, const Task& task);
// The order that has these tasks of a kind run; tasks may be others than tasks_of(kind), for points
// that a search asks for.
Order order_of(const Plan& plan, const BoardKind& kind, const std::vector<Task>& tasks,
               const ExecutorOptions& options);

enum class TaskPhase {
  kQueued,
  kRunning,
  kHeld,    // queued, but the engine waits before it tries again, or for an operator
  kEnded,   // the engine is done with it, or knows it no longer
  kFailed,  // ended with a status that is final
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
  std::string node;  // that runs it
  std::string why;   // held or failed, in the engine's or the task's words
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;
  // The scripts that submit() would hand over, as text.
  virtual std::string preview(const Order& order) = 0;
  // Returns when the engine has taken it. Throws IoError with the engine's own line when it refuses
  // or cannot be reached. More than one job where one script would be too large.
  virtual std::vector<Job> submit(const Order& order) = 0;
  // Of every task of every job. Throws IoError when the engine cannot be asked.
  virtual std::vector<TaskState> states(const std::vector<Job>& jobs) = 0;
  // Lets a held task start now. False where the engine or its rights do not allow it.
  virtual bool release(const TaskState& task) = 0;
  // Takes a task away that has not begun: nothing of it is missing any more. Engines whose tasks
  // all begin at last need not.
  virtual void drop(const TaskState& /*task*/) {}
  // Ends what runs and drops what waits. Nothing happens to what has ended.
  virtual void cancel(const Job& job) = 0;
};

// UsageError for options that the kind does not have; NotFoundError where the engine's programs are
// not installed.
std::unique_ptr<Executor> open_executor(ExecutorKind kind, const std::string& campaign,
                                        const ExecutorOptions& options);
// The one that the plan was submitted to; UsageError when it was not.
std::unique_ptr<Executor> executor_of(const Plan& plan);

}  // namespace ridgewatt::campaign
