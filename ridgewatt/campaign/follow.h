// Hands a campaign's tasks to its engine and sees to it until every point is there:
//
//   submit(path, ExecutorKind::kSlurm, options);
//   const Standing end = follow(path, {.say = remark});   // hours, days
//
// The plan's file keeps which jobs were given away; it is written whole after each. Nothing of this
// is needed for the campaign to be right: whoever follows may be killed and started again, the
// engine and the store may be away for a while, a task may be given away twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/standing.h"

namespace ridgewatt::campaign {

// One process at a time hands tasks of a plan out. IoError while another does.
OwnedFd lock_plan(const std::string& path);

// Gives the tasks with missing points to the engine, all that no job of the plan holds, and writes
// the plan. Returns the jobs. UsageError: the store has another plan of this name. A store that
// cannot be reached at first is taken for empty: what is there is not measured again.
std::vector<Job> submit(const std::string& path, ExecutorKind kind, const ExecutorOptions& options);
// The scripts that submit() would hand over.
std::string preview(const Plan& plan, ExecutorKind kind, const ExecutorOptions& options);

// Asks the store, and the engine where the campaign was submitted to one. Throws what opening the
// store throws; that the engine does not answer is said in the standing.
Standing look(const Plan& plan);

struct FollowOptions {
  double interval_s = 10;
  int attempts = 5;      // tasks that were given away so often are not given away again
  bool once = false;     // one round: `campaign resume`
  double at_most_s = 0;  // 0: as long as it takes
  std::function<void(const std::string&)> say;  // what it did, and what it waits for
  std::function<void(const Standing&)> told;    // after each look
};
// Lets held tasks start, gives tasks with missing points away again that no job holds, and waits
// until all points are there or nothing can be done any more. While store or engine do not answer
// it waits twice as long each time, up to a minute (or `interval_s`).
Standing follow(const std::string& path, const FollowOptions& options);

// Ends all jobs of the plan. Points that are there stay.
void cancel(const std::string& path);

}  // namespace ridgewatt::campaign
