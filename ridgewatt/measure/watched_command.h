// Runs a program. While it runs, a callback gets its marks and energy and can end it.
//
//   watch_command(sysfs, {"python3", "train.py"}, 100, [&](const WatchedMoment& now) {
//     return now.energy_j < budget_j;   // false ends the program
//   });
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

struct WatchedMoment {
  double begin_s = 0, now_s = 0;  // CLOCK_MONOTONIC
  const std::vector<TimedMark>& marks;
  double energy_j = 0;  // of the total, from begin_s to now_s
};

struct WatchedRun {
  int status = 0;      // exit status, or 128 + signal; 0 if `watch` ended the program
  bool ended = false;  // whether `watch` ended the program
  double begin_s = 0, end_s = 0;
  double energy_j = 0;
  std::size_t minibatches = 0, malformed_marks = 0;
};

// Calls `watch` at least ten times per second. Throws the errors of `watch` and of starting a
// program, and NotSupportedError without a power sensor. Ends the program in every case.
WatchedRun watch_command(const platform::Sysfs& sysfs, const std::vector<std::string>& command,
                         double rate_hz, const std::function<bool(const WatchedMoment&)>& watch);

// Like watch_command() for a program that is already open (measure/live_program.h). A program that
// was not started here continues after `watch` returns false. Earlier marks are ignored. Also
// throws the errors of TunedProgram::wait().
WatchedRun watch_program(TunedProgram& program,
                         const std::function<bool(const WatchedMoment&)>& watch);

// Mean power of the board over the next `duration_s`. Throws NotSupportedError without a power
// sensor.
double mean_power_w(const platform::Sysfs& sysfs, double rate_hz, double duration_s);

}  // namespace ridgewatt::measure
