// Runs a program under watch: what it marks and what the board draws, as they come. For whoever
// acts on it while it runs.
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
  double energy_j = 0;  // of the total since it began, to now
};

struct WatchedRun {
  int status = 0;      // exit status, or 128 + signal; 0 when it was ended from here
  bool ended = false;  // from here
  double begin_s = 0, end_s = 0;
  double energy_j = 0;
  std::size_t minibatches = 0, malformed_marks = 0;
};

// `watch` is called at least ten times per second. Throws what it throws, NotSupportedError where
// the board has no power sensor, and what starting a program throws; the program has ended then.
WatchedRun watch_command(const platform::Sysfs& sysfs, const std::vector<std::string>& command,
                         double rate_hz, const std::function<bool(const WatchedMoment&)>& watch);

// The same of a program that is opened already (measure/live_program.h): one that is not ours is
// not ended when `watch` says false, it is left to go on. What the program marked before is not
// seen. Throws what TunedProgram::wait throws too.
WatchedRun watch_program(TunedProgram& program,
                         const std::function<bool(const WatchedMoment&)>& watch);

// Mean power of the board over so long from now on, while nothing of ours runs. NotSupportedError
// as above.
double mean_power_w(const platform::Sysfs& sysfs, double rate_hz, double duration_s);

}  // namespace ridgewatt::measure
