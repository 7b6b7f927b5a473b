// A mode for each phase of a running program: a language model's prefill wants other clocks than
// its decode. The program marks `begin NAME` and `end NAME` (measure/marks.h); the mode is set
// under it as the marks come.
//
//   control.apply(modes[0].mode);                        // before any thread
//   LiveProgram program(sysfs, control, command, 0);
//   const PhaseOutcome held = hold_phases(program, {.modes = modes});
//
// A switch takes time: from the mark to the mode that is written and read back, which is measured,
// and from there to clocks that show it (effect_s). A phase whose usual length, the median of its
// last ones, is below `least_times` the cost of switching to its mode and away again is not
// switched for: it runs in the mode that is set.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::govern {

struct PhaseMode {
  std::string phase;  // as the program marks it
  PowerMode mode;
};

struct PhaseOptions {
  // The first is set when hold_phases begins. Phases inside phases: the inner one counts. Where no
  // named phase is open, the mode stays.
  std::vector<PhaseMode> modes;
  double least_times = 2;
  // Of the clocks of CPU, GPU and memory one after the other: 1, 5 and 8 ms as published, no
  // measurement of this board (docs/methods/mode_setting.md).
  double effect_s = 0.014;
  double wait_s = 0.05;  // for news; less where a program cannot wake us (a file of marks)
  // Throws UsageError.
  void check() const;
};

// Of one phase, over all times that it came.
struct PhaseUse {
  std::string phase;
  PowerMode mode;
  std::size_t times = 0;
  std::size_t switches = 0;     // to its mode, at its begin
  std::size_t too_short = 0;    // times for which the mode was not changed
  double time_s = 0;            // in all
  double median_s = 0;          // of its last times
  std::size_t minibatches = 0;  // marked meanwhile
  double energy_j = 0;          // in all; of phases inside it too
};

struct PhaseOutcome {
  std::vector<PhaseUse> phases;     // in the order of the options
  double time_s = 0, energy_j = 0;  // of everything, until the program ended
  std::size_t minibatches = 0, switches = 0;
  // From the mark to the mode that is read back, and of it writing alone; 0 without a switch.
  double median_switch_s = 0, longest_switch_s = 0, median_write_s = 0;
  double switching_s = 0;  // of all switches
};

// Until the program ends. `look` (may be empty) is called about twice per second: for safety.
// Throws what it and the program throw.
PhaseOutcome hold_phases(measure::TunedProgram& program, const PhaseOptions& options,
                         const std::function<void()>& look = {});

}  // namespace ridgewatt::govern
