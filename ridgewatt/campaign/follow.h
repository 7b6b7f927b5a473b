// Submits a campaign's tasks to its engine and watches it until every point exists:
//
//   submit(path, ExecutorKind::kSlurm, options);
//   const Standing end = follow(path, {.say = remark});   // hours, days
//
// The file of the plan records the submitted jobs; the whole file is written after each. The
// campaign stays correct without this process: it may be killed and restarted, the engine and the
// store may be unavailable for a while, a task may be submitted twice.
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

// One process at a time submits tasks of a plan. Throws IoError while another does.
OwnedFd lock_plan(const std::string& path);

// Submits the tasks with missing points that no job of the plan holds, and writes the plan. Returns
// the jobs. Throws UsageError if the store has another plan of this name. A store that cannot be
// reached at first counts as empty: existing points are not measured again.
std::vector<Job> submit(const std::string& path, ExecutorKind kind, const ExecutorOptions& options);
// The scripts that submit() would pass on.
std::string preview(const Plan& plan, ExecutorKind kind, const ExecutorOptions& options);

// Queries the store, and the engine if the campaign was submitted to one. Throws what opening the
// store throws; an engine that does not answer is reported in the result.
Standing look(const Plan& plan);

struct FollowOptions {
  double interval_s = 10;
  int attempts = 5;                             // maximum number of submissions of a task
  bool once = false;                            // one round: `campaign resume`
  double at_most_s = 0;                         // 0: no limit
  std::function<void(const std::string&)> say;  // messages about actions and waits
  std::function<void(const Standing&)> report;  // after each query
  // In simulated time: the engine in place of the plan's, the time, and what waits.
  Executor* engine = nullptr;
  std::function<std::int64_t()> now_unix_s;
  std::function<void(double)> wait;
};
// Lets held tasks start, submits tasks with missing points again that no job holds, and waits until
// all points exist or nothing more can be done. If the store or engine does not answer, it waits
// twice as long each time, up to a minute (or `interval_s`).
Standing follow(const std::string& path, const FollowOptions& options);

// Lets a board that was set aside get tasks again, and writes the plan. Throws NotFoundError if no
// board of this serial number is set aside.
void readmit_board(const std::string& path, const std::string& serial);

// What store and engine have on each board.
struct BoardsLook {
  std::vector<BoardReport> boards;
  std::string engine_fault;  // why the engine could not be queried; empty: it answered
};
// Throws what opening the store throws.
BoardsLook look_at_boards(const Plan& plan);

// Ends all jobs of the plan. Existing points remain.
void cancel(const std::string& path);

}  // namespace ridgewatt::campaign
