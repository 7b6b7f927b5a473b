// Profiles a program in a set of power modes and stores the results. After an interruption, the
// next call continues. The original mode of the board is restored in every case.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::measure {

struct ProfileSummary {
  int measured = 0;
  int skipped = 0;  // were already in the store
  int failed = 0;   // the board rejected the mode, or the command failed
  std::vector<std::string> failures;
  std::size_t malformed_marks = 0;
};

// Sorts modes from high clocks to low and removes duplicates. Some boards reject the opposite
// order, and this order changes few clocks at a time.
std::vector<PowerMode> profiling_order(std::vector<PowerMode> modes);

// The default name of a workload, derived from its command. Interpreters and wrappers (python3,
// bash, env, nice, timeout) are skipped: the name is the file name of the script or program that
// they run, or the module of `python -m`. For `ridgewatt fake-run` it is the model. Otherwise it is
// the first word of the command.
//   workload_name({"python3", "-u", "train.py"});             // "train.py"
//   workload_name({"ridgewatt", "fake-run", "zoo:lenet5"});   // "lenet5"
std::string workload_name(const std::vector<std::string>& command);
// Sets board and provenance in `options.series` from `device`. An empty serial becomes the serial
// number of the board, an empty workload becomes workload_name() of the command.
void name_series(const platform::LocalDevice& device, ProfileOptions& options);

// Throws the errors of JetsonModeControl::apply() for permission and safety, and UsageError if the
// store has points of another command (require_same_command). If the command fails in a mode or
// marks too few minibatches, the mode counts as failed and profiling continues.
ProfileSummary profile(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                       store::Store& store, const std::vector<PowerMode>& modes,
                       const ProfileOptions& options);

}  // namespace ridgewatt::measure
