// Where a campaign stands: what the store has of its plan, and what the engine says of its tasks.
//
//   const Standing now = standing_of(plan, filled_slots(plan, store), states, unix_s);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// One specimen, by what it handed in.
struct BoardStanding {
  std::string kind, serial;
  std::size_t points = 0;       // of the plan
  std::size_t calibration = 0;  // of the kind's calibration points
  std::int64_t newest_unix_s = 0;
  std::optional<double> points_per_h;  // over its newest 20; nothing: fewer than two
  bool straggler = false;              // slower than half the median of its kind
};

struct KindStanding {
  std::string name;
  std::size_t planned = 0, done = 0;
  std::size_t queued = 0, running = 0, held = 0, failed = 0;  // tasks; failed: and points missing
  std::size_t boards = 0;                                     // that handed in something
  std::size_t calibrated = 0;                                 // of them, wholly
  std::optional<double> eta_s;  // from the rates of the boards, else as foretold
  bool eta_foretold = false;
};

struct TaskFault {
  std::string kind, job;
  int task = 0;
  bool held = false;  // waits; else failed
  std::string node, why;
  std::size_t missing = 0;  // points of it
};

struct Standing {
  std::size_t planned = 0, done = 0;
  std::optional<double> eta_s;  // of the kind that takes longest
  std::vector<KindStanding> kinds;
  std::vector<BoardStanding> boards;  // by kind and serial
  std::vector<TaskFault> faults;      // of tasks with points that are missing
  std::string engine_fault;           // why the engine could not be asked; empty: it answered
  bool complete() const { return done == planned; }
};

// `states` of all jobs of the plan, in their order: of several jobs with a task the newest that the
// engine still has counts, else the newest.
Standing standing_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                     const std::vector<TaskState>& states, std::int64_t now_unix_s);

// The tasks of a kind with points that are not there; each has those points alone.
std::vector<Task> missing_tasks(const Plan& plan, const BoardKind& kind,
                                const std::vector<store::FilledSlot>& filled);

}  // namespace ridgewatt::campaign
