// Profiles a program over power modes into a store: sets each mode, waits until power is steady,
// measures, and goes on where it stopped after anything. The board's first state comes back at the
// end, whatever the end is.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt {

struct ProfileOptions {
  MeasureOptions measure;  // its command marks minibatches; its idle baseline is each mode's own
  Campaign campaign;
  int batch = 0;
  double settle_s = 20;          // at most this long for steady power
  double settle_window_s = 2.5;  // power is steady when two windows of this length agree
  double settle_tolerance = 0.02;
  bool quiet = false;
};

struct ProfileSummary {
  int measured = 0;
  int skipped = 0;  // were in the store
  int failed = 0;   // the board refused, or the command failed
  std::vector<std::string> failures;
};

// From high clocks to low: some boards refuse the other way, and changes are few.
std::vector<PowerMode> profiling_order(std::vector<PowerMode> modes);

// Throws what JetsonModeControl::apply throws for permission and safety; a command that fails or
// marks too few minibatches in one mode is counted and the next mode is tried.
ProfileSummary profile(Sysfs& sysfs, JetsonModeControl& control, Store& store,
                       const std::vector<PowerMode>& modes, const ProfileOptions& options);

}  // namespace ridgewatt
