// The state of a campaign: the points of its plan in the store, and the states of its tasks.
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

// One board, by the points that it delivered.
struct BoardStanding {
  std::string kind, serial;
  std::size_t points = 0;       // of the plan
  std::size_t calibration = 0;  // of the kind's calibration points
  std::int64_t newest_unix_s = 0;
  std::optional<double> points_per_h;  // over its newest 20; empty: fewer than two
  bool straggler = false;              // slower than half the median of its kind
  bool set_aside = false;              // gets no more tasks
};

struct KindStanding {
  std::string name;
  std::size_t planned = 0, done = 0;
  std::size_t queued = 0, running = 0, held = 0, failed = 0;  // tasks; failed: with missing points
  // number of boards that delivered points
  std::size_t boards = 0;
  // number of completely calibrated boards
  std::size_t calibrated = 0;
  std::optional<double> eta_s;  // from the rates of the boards, otherwise predicted
  bool eta_predicted = false;
  std::size_t flagged = 0;    // measured points with a flag
  std::size_t to_rerun = 0;   // missing points that were measured before
  std::size_t set_aside = 0;  // boards that get no more tasks
  std::size_t silent = 0;     // boards from which nothing came for a while
  double points_per_s = 0;    // of the boards that work now
  std::size_t failures = 0;   // attempts at points that failed
  double energy_j = 0;        // of all measured windows, those of calibration too
  std::string blocked;        // why nothing can run, though points are missing; empty: it can
};

struct TaskFault {
  std::string kind, job;
  int task = 0;
  bool held = false;  // true: held; false: failed
  std::string node, why;
  std::size_t missing = 0;  // of the task
};

struct Standing {
  std::size_t planned = 0, done = 0;
  std::optional<double> eta_s;  // of the slowest kind
  std::vector<KindStanding> kinds;
  std::vector<BoardStanding> boards;  // by kind and serial
  std::vector<TaskFault> faults;      // of tasks with missing points
  std::vector<PointFault> points;     // missing ones that failed, with the last reason
  std::string engine_fault;           // why the engine could not be queried; empty: it answered
  bool complete() const { return done == planned; }
};

// `states` of all jobs of the plan, in their order: if several jobs have a task, the newest that
// the engine still knows counts, otherwise the newest. Boards of `fleet` that get no task count for
// no remaining time.
Standing standing_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                     const std::vector<TaskState>& states, std::int64_t now_unix_s,
                     const Fleet& fleet = {});

// Nothing came from the board for the time of ten of its points, and for ten minutes.
bool is_resting(const BoardStanding& board, std::int64_t now_unix_s);

// The tasks of a kind with missing points; each contains only those points.
std::vector<Task> missing_tasks(const Plan& plan, const BoardKind& kind,
                                const std::vector<store::FilledSlot>& filled);

}  // namespace ridgewatt::campaign
