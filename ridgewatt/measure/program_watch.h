// Watches what may slow down a program while it runs: clocks, limits, throttling, other programs on
// the processors, waiting for a core, CPU quota, page faults, swap and storage.
//
//   ProgramWatch watch(sysfs, ::getpid());   // all child processes, without this process
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
  // Watches the descendants of the process `root`, and `root` itself unless it is the current
  // process. Sensors are read from `sysfs`, which must outlive this object; processes are always
  // processes of this machine.
  ProgramWatch(const platform::Sysfs& sysfs, pid_t root);
  ~ProgramWatch();
  // Reads all sensors and processes once. Changes between two calls are missed.
  void look();
  // Returns the observations since construction, without the fields that come from marks.
  SeenRun seen() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

struct SeenProgram {
  Measurement measurement;
  SeenRun seen;
};

// Runs a command like measure_command() and watches it. With `for_s`, the command is ended after
// that time.
SeenProgram measure_and_watch(const platform::Sysfs& sysfs, MeasureOptions options,
                              std::optional<double> for_s, platform::PowerMeter& meter);

// Watches a running process for `for_s` or until it ends. Its marks are not read. Throws
// NotFoundError if there is no such process.
SeenProgram watch_process(const platform::Sysfs& sysfs, pid_t process, double for_s,
                          platform::PowerMeter& meter);

// Throws Error if the measured program ended with a status other than 0.
void require_success(int status, const std::vector<std::string>& program);

}  // namespace ridgewatt::measure
