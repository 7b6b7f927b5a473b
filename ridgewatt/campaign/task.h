// One task of a campaign, on the board that it was given to:
//
//   const TaskSummary done = run_task(device, task);   // throws TryAgainError: nothing is lost
//
// What is measured goes to a spool first, a store in this board's own state folder, and from there
// to the campaign's store. A point whose slot is filled, there or in the spool, is not measured
// again, so a task may be run any number of times, by any boards, and killed at any moment. The
// calibration points that this board's spool lacks come first: so every board that works is
// calibrated, and no scheduler needs to know. docs/methods/campaign.md says what survives what.
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
  std::string fingerprint;  // of its plan; empty: there is none
  std::string board_kind;   // empty: whatever the board is
  std::string store;
  measure::ProfileOptions profile;  // its series has workload and kind
  platform::JetsonModeControl::Options control;
  std::vector<PlannedPoint> points, calibration;
  std::string spool_folder;     // empty: default_spool_folder
  double hand_in_every_s = 60;  // while it measures; at the end in any case
  double wait_s = 0;            // for a store that cannot be reached, before it gives up

  // Throws UsageError naming the field.
  void check() const;
};

struct TaskSummary {
  std::string board, serial;
  int measured = 0;  // calibration points too
  int skipped = 0;   // their slot was filled
  int failed = 0;
  std::vector<std::string> failures;
  store::HandedIn handed_in;
};

// $XDG_STATE_HOME/ridgewatt/spool (~/.local/state/..).
std::string default_spool_folder();

// TryAgainError: another task runs on this board, the spool cannot be written (disk full), or the
// store cannot be reached; what was measured is in the spool and the next task hands it in. Points
// that cannot be measured are counted. Throws what LiveProfiler throws for permission and safety,
// UsageError where the board is not of the kind.
TaskSummary run_task(const platform::LocalDevice& device, TaskOptions options);

}  // namespace ridgewatt::campaign
