// Measures the current process while it runs, for a program that calls the library itself. To
// measure another program, use measure_command().
//
//   RunningMeasurement run(*device.sysfs, options);   // starts sampling power
//   run.begin();                                      // ends the idle baseline
//   const auto epoch = run.begin_window("epoch 1");
//   for (..) {
//     run.fetched();
//     train();
//     run.mark();
//   }
//   std::cout << run.end_window(epoch).energy->energy_j;
//   const Measurement result = run.stop();            // as measure_command() returns it
//
// A run may last for days, because memory is limited to about 150 MB. At 100 Hz, every power sample
// of the newest eleven minutes is kept, and older samples are merged step by step. The energy of a
// window that has ended stays exact. When the series of clocks and temperatures is full, every
// second sample is dropped. The oldest marks and the oldest ended windows are dropped, too; dropped
// marks are counted.
//
// In a process that was forked during the run (a worker of a data loader), every call except ours()
// and the destructor throws UsageError.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

// Time and energy of a window, which is a named part of the run.
struct WindowCost {
  std::string name = {};
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;    // CLOCK_MONOTONIC; the current time while the window is open
  bool ended = false;
  std::optional<EnergyEstimate> energy = {};  // of the total; empty: no power source
  // True when the window has ended and a power sample after its end has arrived. The energy then no
  // longer changes.
  bool settled = false;
  double time_s() const { return end_s - begin_s; }
};

class RunningMeasurement {
 public:
  // `sysfs` must outlive this object. `options.command` only names the program in the report. If
  // `options.idle_s` is not 0, the time until begin() is the idle baseline. `settle` and
  // `end_after_window` have no effect. Throws the errors of MeasureOptions::check().
  RunningMeasurement(const platform::Sysfs& sysfs, const MeasureOptions& options);
  // Stops sampling if stop() was not called.
  ~RunningMeasurement();
  RunningMeasurement(const RunningMeasurement&) = delete;
  RunningMeasurement& operator=(const RunningMeasurement&) = delete;

  // Returns whether the current process created this object. False in a forked child.
  bool ours() const;
  // The power source, such as "rails; total VDD_IN"; "none: " with the reason if there is none.
  const std::string& source() const;
  bool has_power() const;

  // Any thread may call the functions below. Before begin() and after stop(), they throw
  // UsageError, except window(), windows() and forgotten_marks().
  void begin();
  void mark();     // a minibatch has ended
  void fetched();  // the data of the next minibatch has arrived
  // Phases are distinguished by name. end_phase throws UsageError if the phase is not open.
  void begin_phase(const std::string& name);
  void end_phase(const std::string& name);
  // Windows may nest and overlap. Returns the number of the window.
  std::size_t begin_window(const std::string& name);
  WindowCost end_window(std::size_t window);
  // Returns the final cost of a window or, if it is open, its cost up to now. Throws UsageError for
  // an unknown number and for a window that was dropped.
  WindowCost window(std::size_t window);
  // The newest 65 536 windows that have ended, in the order of their ends.
  std::vector<WindowCost> windows();
  // The cost from begin() until now.
  WindowCost so_far();

  // Ends the run, with all open phases and windows. `status` becomes the exit status in the result.
  // CPU time and memory are those of this process. Throws the errors of read_meter(); in this case
  // the run has ended, too.
  Measurement stop(int status = 0);
  // Marks that were dropped because they were too old; they are missing in the result.
  std::size_t forgotten_marks();

 private:
  class State;
  State& state() const;  // throws UsageError in a forked process

  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::measure
