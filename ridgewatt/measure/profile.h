// Profiles a program over a set of power modes into a store and goes on where it stopped after
// anything. The board's first state comes back at the end, whatever the end is.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::measure {

struct ProfileSummary {
  int measured = 0;
  int skipped = 0;  // were in the store
  int failed = 0;   // the board refused, or the command failed
  std::vector<std::string> failures;
};

// From high clocks to low: some boards refuse the other way, and changes are few.
std::vector<PowerMode> profiling_order(std::vector<PowerMode> modes);

// What a measured program is called where nobody names the workload: behind interpreters and
// starters (python3, bash, env, nice, timeout) the script or program that they run, of `python -m`
// the module, of `ridgewatt fake-run` the model; else the first word of the command as it is.
//   workload_name({"python3", "-u", "train.py"});             // "train.py"
//   workload_name({"ridgewatt", "fake-run", "zoo:lenet5"});   // "lenet5"
std::string workload_name(const std::vector<std::string>& command);
// Board and provenance of what is measured on `device`, and where none was given the serial that
// the board carries and the workload's name, the command's.
void name_series(const platform::LocalDevice& device, ProfileOptions& options);

// Throws what JetsonModeControl::apply throws for permission and safety; a command that fails or
// marks too few minibatches in one mode is counted and the next mode is tried.
ProfileSummary profile(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                       store::Store& store, const std::vector<PowerMode>& modes,
                       const ProfileOptions& options);

}  // namespace ridgewatt::measure
