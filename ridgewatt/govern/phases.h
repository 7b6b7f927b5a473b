// Sets a mode for each phase of a running program: the prefill of a language model needs other
// clocks than its decode. The program marks `begin NAME` and `end NAME` (measure/marks.h); the mode
// follows the marks.
//
//   control.apply(modes[0].mode);                        // before any thread
//   LiveProgram program(sysfs, control, command, 0);
//   const PhaseOutcome held = hold_phases(program, {.modes = modes});
//
// A switch takes time: from the mark until the mode is written and read back, which is measured,
// and from there until the clocks change (effect_s). A phase whose usual length, the median of its
// recent lengths, is below `least_times` the cost of switching to its mode and back is not switched
// for: it runs in the current mode.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::govern {

struct PhaseMode {
  std::string phase;  // the name in the program's marks
  PowerMode mode;
};

struct PhaseOptions {
  // The first mode is set when hold_phases begins. In nested phases the inner one counts. If no
  // named phase is open, the mode stays.
  std::vector<PhaseMode> modes;
  double least_times = 2;
  // Time of changing the clocks of CPU, GPU and memory one after the other: 1, 5 and 8 ms as
  // published, not measured on this board (docs/methods/mode_setting.md).
  double effect_s = 0.014;
  // for marks; less if the program cannot wake this process (a file of marks)
  double wait_s = 0.05;
  // Throws UsageError.
  void check() const;
};

// One phase, over all its occurrences.
struct PhaseUse {
  std::string phase;
  PowerMode mode;
  std::size_t times = 0;
  std::size_t switches = 0;     // to its mode, at its start
  std::size_t too_short = 0;    // occurrences without a switch
  double time_s = 0;            // total
  double median_s = 0;          // of its recent occurrences
  std::size_t minibatches = 0;  // marked during the phase
  double energy_j = 0;          // total, including nested phases
};

struct PhaseOutcome {
  std::vector<PhaseUse> phases;     // in the order of the options
  double time_s = 0, energy_j = 0;  // total, until the program ended
  std::size_t minibatches = 0, switches = 0;
  // From the mark to the mode that is read back, and the part for writing; 0 without a switch.
  double median_switch_s = 0, longest_switch_s = 0, median_write_s = 0;
  double switching_s = 0;  // of all switches
};

// Runs until the program ends. `look` (may be empty) is called about twice per second for safety
// checks. Throws what it and the program throw.
PhaseOutcome hold_phases(measure::TunedProgram& program, const PhaseOptions& options,
                         const std::function<void()>& look = {});

}  // namespace ridgewatt::govern
