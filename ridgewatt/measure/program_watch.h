// Watches what could slow a program down while it runs: clocks, limits, throttling, who else uses
// the processors, waiting for a core, a quota, pages, swap and storage.
//
//   ProgramWatch watch(sysfs, ::getpid());   // of all below this process, which does not count
//   while (runs) { watch.look(); sleep(0.1); }
//   const SeenRun seen = watch.seen();
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/seen_run.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

class ProgramWatch {
 public:
  // Watches the processes below `root`, and `root` itself unless it is this process. Sensors are
  // read from `sysfs`, which must outlive this; processes are those of this machine.
  ProgramWatch(const platform::Sysfs& sysfs, pid_t root);
  ~ProgramWatch();
  // Reads everything once. What comes and goes between two looks is not seen.
  void look();
  // What was seen since the first look, without the fields that come from marks.
  SeenRun seen() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

struct SeenProgram {
  Measurement measurement;
  SeenRun seen;
};

// Runs a command as measure_command() does, and watches it. With `for_s` the command is ended after
// that time.
SeenProgram measure_and_watch(const platform::Sysfs& sysfs, MeasureOptions options,
                              std::optional<double> for_s, platform::PowerMeter& meter);

// Watches a running process for `for_s`, or until it ends; its marks are not read.
// NotFoundError where there is no such process.
SeenProgram watch_process(const platform::Sysfs& sysfs, pid_t process, double for_s,
                          platform::PowerMeter& meter);

}  // namespace ridgewatt::measure
