// Submits the tasks of a campaign to its executor and watches it until every point is measured.
//
//   submit(path, ExecutorKind::kSlurm, options);
//   const Standing end = follow(path, {.say = remark});   // hours, days
//
// The file of the plan lists the submitted jobs and is rewritten after each submission. This
// process may be killed and restarted at any time, the executor and the store may be unavailable
// for a while, and a task may be submitted twice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/health.h"
#include "ridgewatt/campaign/standing.h"

namespace ridgewatt::campaign {

// Locks the plan, because only one process at a time may submit its tasks. The lock is a file next
// to the plan. The destructor removes the file.
class PlanLock {
 public:
  // Throws IoError while another process holds the lock.
  explicit PlanLock(const std::string& path);
  ~PlanLock();
  PlanLock(const PlanLock&) = delete;
  PlanLock& operator=(const PlanLock&) = delete;

 private:
  std::string name_;
  OwnedFd file_;
};

// Submits the tasks with missing points, writes the plan and returns the jobs. Returns none if
// every point is measured. Throws UsageError if the campaign was already submitted, or if the store
// has another plan with this name. If the store cannot be reached, it counts as empty; tasks still
// skip points that exist.
std::vector<Job> submit(const std::string& path, ExecutorKind kind, const ExecutorOptions& options);
// Returns the scripts that submit() would pass to the executor for all tasks.
std::string preview(const Plan& plan, ExecutorKind kind, const ExecutorOptions& options);

// Queries the store and, if the plan has jobs, the executor. If the executor cannot be queried, the
// result states why. Throws the errors of opening the store.
Standing look(const Plan& plan);

struct FollowOptions {
  double interval_s = 10;
  int attempts = 5;      // maximum number of submissions of a task
  bool once = false;     // return after one round, as `campaign resume` does
  double at_most_s = 0;  // limit of the duration; 0: none
  // Receives messages about actions and waits; may be empty.
  std::function<void(const std::string&)> say;
  std::function<void(const Standing&)> report;  // called after each query; may be empty
  // For simulated time: replacements for the plan's executor, the clock and the pause. Null or
  // empty: the real ones.
  Executor* engine = nullptr;
  std::function<std::int64_t()> now_unix_s;
  std::function<void(double)> wait;
};
// Repeats rounds until all points exist or nothing more can be done. A round releases held tasks
// and submits tasks with missing points again if no job has them. If the store or the executor does
// not answer, each pause is twice as long as the one before, up to the longer of a minute and
// `interval_s`. Throws NoSolutionError after `at_most_s`.
Standing follow(const std::string& path, const FollowOptions& options);

// Lets a board that was set aside (campaign/health.h) get tasks again, and writes the plan. Throws
// NotFoundError if no board with this serial number is set aside.
void readmit_board(const std::string& path, const std::string& serial);

// The state of each board according to the store and the executor.
struct BoardsLook {
  std::vector<BoardReport> boards;
  std::string engine_fault;  // why the executor could not be queried; empty: it answered
};
// Queries the store and, if the plan names one, the executor. Throws the errors of opening the
// store.
BoardsLook look_at_boards(const Plan& plan);

// Ends all jobs of the plan. Measured points remain in the store.
void cancel(const std::string& path);

}  // namespace ridgewatt::campaign
