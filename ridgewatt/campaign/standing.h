// The progress of a campaign: the points of its plan in the store, and the states of its tasks.
//
//   const Standing now = standing_of(plan, filled_slots(plan, store), states, unix_s);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/health.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// Progress of one board.
struct BoardStanding {
  std::string kind, serial;
  std::size_t points = 0;       // number of measured points of the plan
  std::size_t calibration = 0;  // number of measured calibration points
  std::int64_t newest_unix_s = 0;
  std::optional<double> points_per_h;  // over its newest 20 points; absent: fewer than two
  bool straggler = false;              // slower than half of the median rate of its kind
  bool set_aside = false;              // gets no more tasks (campaign/health.h)
};

// Progress of one kind of board.
struct KindStanding {
  std::string name;
  // Numbers of points.
  std::size_t planned = 0, done = 0;
  // Numbers of tasks with missing points, by TaskPhase.
  std::size_t queued = 0, running = 0, held = 0, failed = 0;
  // Number of boards that measured points.
  std::size_t boards = 0;
  // Number of boards that measured all calibration points.
  std::size_t calibrated = 0;
  // Remaining time, from the rates of the boards or predicted; absent: unknown.
  std::optional<double> eta_s;
  std::size_t flagged = 0;    // number of measured points with a flag
  std::size_t to_rerun = 0;   // number of missing points that were measured before
  std::size_t set_aside = 0;  // boards that get no more tasks (campaign/health.h)
  std::size_t silent = 0;     // number of boards without a new point for a while; see is_resting()
  double points_per_s = 0;    // total rate of the boards that work now
  std::size_t failures = 0;   // number of failed attempts at points
  double energy_j = 0;        // of all measured windows, including calibration
  // Why no task can run although points are missing. Empty: a task can run.
  std::string blocked;
  // Whether `blocked` is set because no task has the missing points. A new task could measure them.
  bool without_task = false;
};

// A task with missing points that is held or has failed.
struct TaskFault {
  std::string kind, job;
  int task = 0;
  bool held = false;  // true: held; false: failed
  std::string node, why;
  std::size_t missing = 0;  // number of missing points
};

struct Standing {
  std::size_t planned = 0, done = 0;
  std::optional<double> eta_s;  // of the slowest kind; absent: unknown
  std::vector<KindStanding> kinds;
  std::vector<BoardStanding> boards;  // sorted by kind and serial number
  std::vector<TaskFault> faults;      // tasks that are held or have failed
  std::vector<PointFault> points;     // missing points with a failed attempt
  std::string engine_fault;           // why the executor could not be queried; empty: it answered
  bool complete() const { return done == planned; }
};

// Returns the progress. `states` has the states of all jobs of the plan in their order. If several
// jobs have the same task, the newest job that waits or runs counts. If none does, the newest job
// counts. Boards of `fleet` that are set aside do not count in the remaining time.
Standing standing_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                     const std::vector<TaskState>& states, std::int64_t now_unix_s,
                     const Fleet& fleet = {});

// Returns "3 of 12 points are missing".
std::string missing_text(const Standing& standing);

// Returns whether the board delivered no point for ten minutes and for ten times its time per
// point.
bool is_resting(const BoardStanding& board, std::int64_t now_unix_s);

// Returns the tasks of a kind that have missing points, with only these points.
std::vector<Task> missing_tasks(const Plan& plan, const BoardKind& kind,
                                const std::vector<store::FilledSlot>& filled);

}  // namespace ridgewatt::campaign
