// Runs one task of a campaign on the board to which it was assigned.
//
//   const TaskSummary done = run_task(device, task);   // TryAgainError loses no data
//
// Measured points are first written to a spool, a store in the state folder of the board, and then
// delivered to the store of the campaign. A point whose slot has a measurement in either store is
// not measured again. Therefore a task may run several times, on any boards, and may be killed at
// any moment. Calibration points that are missing in the spool of the board are measured first, so
// that every working board is calibrated. docs/methods/campaign.md describes failures and recovery.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

struct TaskOptions {
  std::string campaign;
  std::string fingerprint;  // of its plan; empty: no plan
  std::string board_kind;   // empty: any kind
  // File or postgresql://..
  std::string store;
  measure::ProfileOptions profile;  // its series has the workload and its kind
  platform::JetsonModeControl::Options control;
  std::vector<PlannedPoint> points, calibration;
  std::string spool_folder;  // empty: default_spool_folder()
  // Time between deliveries of measured points to the store; there is always one at the end.
  double hand_in_every_s = 60;
  double wait_s = 0;  // how long to wait for an unavailable store

  // Throws UsageError, which names the field.
  void check() const;
};

struct TaskSummary {
  std::string board, serial;
  int measured = 0;  // number of measured points, including calibration points
  int skipped = 0;   // number of points that already had a measurement
  // Number of points that could not be measured.
  int failed = 0;
  std::vector<std::string> failures;
  std::size_t malformed_marks = 0;
  store::HandedIn handed_in;
};

// Returns $XDG_STATE_HOME/ridgewatt/spool; the default state folder is ~/.local/state.
std::string default_spool_folder();

// Runs the task. Throws TryAgainError if another task runs on this board, the spool cannot be
// written (disk full), or the store cannot be reached. Measured points then remain in the spool,
// and the next task delivers them. Points that cannot be measured are counted in `failed`. Throws
// the errors of LiveProfiler for missing permissions and unsafe states, and UsageError if the board
// is of another kind.
TaskSummary run_task(const platform::LocalDevice& device, TaskOptions options);

}  // namespace ridgewatt::campaign
