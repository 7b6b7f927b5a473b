// Runs one task of a campaign on the board that it was assigned to:
//
//   const TaskSummary done = run_task(device, task);   // throws TryAgainError without loss of data
//
// Measured points first go to a spool, a store in this board's own state folder, and from there to
// the campaign's store. A point whose slot is filled, there or in the spool, is not measured again,
// so a task may run any number of times, on any boards, and be killed at any moment. Calibration
// points that are missing in this board's spool come first, so every working board is calibrated
// without the help of a scheduler. docs/methods/campaign.md describes failures and recovery.
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
  std::string board_kind;   // empty: any board
  std::string store;
  measure::ProfileOptions profile;  // its series has workload and kind
  platform::JetsonModeControl::Options control;
  std::vector<PlannedPoint> points, calibration;
  std::string spool_folder;     // empty: default_spool_folder
  double hand_in_every_s = 60;  // while it measures, and always at the end
  double wait_s = 0;            // for an unavailable store

  // Throws UsageError naming the field.
  void check() const;
};

struct TaskSummary {
  std::string board, serial;
  int measured = 0;  // including calibration points
  int skipped = 0;   // their slots were filled
  int failed = 0;
  std::vector<std::string> failures;
  store::HandedIn handed_in;
};

// $XDG_STATE_HOME/ridgewatt/spool (~/.local/state/..).
std::string default_spool_folder();

// Throws TryAgainError if another task runs on this board, the spool cannot be written (disk full),
// or the store cannot be reached; the measured points are in the spool and the next task delivers
// them. Points that cannot be measured are counted. Throws what LiveProfiler throws for permission
// and safety, and UsageError if the board is not of the kind.
TaskSummary run_task(const platform::LocalDevice& device, TaskOptions options);

}  // namespace ridgewatt::campaign
