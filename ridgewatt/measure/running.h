// Measures this program from inside, while it runs:
//
//   RunningMeasurement run(*device.sysfs, options);   // power is sampled from here on
//   run.begin();                                      // what came before is the idle baseline
//   const auto epoch = run.begin_window("epoch 1");
//   for (..) {
//     run.fetched();
//     train();
//     run.mark();
//   }
//   std::cout << run.end_window(epoch).energy->energy_j;
//   const Measurement result = run.stop();            // what measure_command would have said
//
// Runs of days: power keeps the newest eleven minutes (at 100 Hz) as sampled and older samples ever
// coarser (a window that has ended keeps what it was worth at full rate); of the machine's series
// every second look goes when there are too many; of marks and ended windows the oldest are
// forgotten and counted. All in all some 150 MB at most.
//
// A process that is forked during the run (workers of a data loader) has no part in it: there every
// call but the destructor throws UsageError.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/measure_command.h"

namespace ridgewatt::measure {

// What a part of the run cost. Without a power source there is no energy.
struct WindowCost {
  std::string name = {};
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;    // of an open window: now
  bool ended = false;
  std::optional<EnergyEstimate> energy = {};  // of the total
  bool settled = false;  // by samples on both sides: its figures will not change
  double time_s() const { return end_s - begin_s; }
};

class RunningMeasurement {
 public:
  // `sysfs` must outlive this. Of `options` the command names the program in the report, idle_s
  // (not 0) says that the time until begin() is a baseline; settle and end_after_window mean
  // nothing. Throws what MeasureOptions::check throws.
  RunningMeasurement(const platform::Sysfs& sysfs, const MeasureOptions& options);
  // Ends what still runs.
  ~RunningMeasurement();
  RunningMeasurement(const RunningMeasurement&) = delete;
  RunningMeasurement& operator=(const RunningMeasurement&) = delete;

  // False in a process that was forked during the run.
  bool ours() const;
  // "rails; total VDD_IN"; "none: " and why where the machine has no sensor.
  const std::string& source() const;
  bool has_power() const;

  // All from here on may be called by any thread. They throw UsageError before begin() and, but for
  // window() and windows(), after stop().
  void begin();
  void mark();     // a minibatch ended
  void fetched();  // its data has come
  // Phases have names of their own; UsageError when the one to end was not begun.
  void begin_phase(const std::string& name);
  void end_phase(const std::string& name);
  // Windows may nest and overlap. Returns the window's number.
  std::size_t begin_window(const std::string& name);
  WindowCost end_window(std::size_t window);
  // So far, or, once it has ended, in all. UsageError for a number that there is not, or that is
  // forgotten.
  WindowCost window(std::size_t window);
  // Ended ones, in the order in which they ended; the newest 65 536.
  std::vector<WindowCost> windows();
  // The whole run until now.
  WindowCost so_far();

  // Ends the run: `status` is what the program's would be. CPU time and memory are this process's.
  // Phases and windows that are open end now. Throws what read_meter throws; the run has ended then
  // all the same.
  Measurement stop(int status = 0);
  // Minibatches too old to be in the result.
  std::size_t forgotten_marks();

 private:
  class State;
  State& state() const;  // UsageError in another process

  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::measure
