// Sets a mode for each phase of a running program, because phases such as prefill and decode of a
// language model need different clocks. The program marks phases with `begin NAME` and `end NAME`
// (measure/marks.h).
//
//   control.apply(modes[0].mode);                        // before any thread starts
//   LiveProgram program(sysfs, control, command, 0);
//   const PhaseOutcome held = hold_phases(program, {.modes = modes});
//
// The cost of a switch has two parts: the time from the mark until the mode is written and read
// back, which is measured, and the time until the clocks change (effect_s). If a phase is usually
// shorter than `least_times` the cost of switching to its mode and back, it runs in the current
// mode. The usual length is the median of its recent lengths.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::govern {

struct PhaseMode {
  std::string phase;  // name in the marks of the program
  PowerMode mode;
};

struct PhaseOptions {
  // hold_phases() sets the first of these modes when it begins. In nested phases, the innermost
  // phase that has a mode determines the mode. Outside all phases the mode does not change.
  std::vector<PhaseMode> modes;
  // Minimum usual length of a phase, in multiples of the cost of switching to its mode and back.
  double least_times = 2;
  // Published time to change the clocks of CPU, GPU and memory in succession (1, 5 and 8 ms); not
  // measured on this board (docs/methods/mode_setting.md).
  double effect_s = 0.014;
  // Maximum wait for marks. It is shorter if the program writes its marks to a file and therefore
  // cannot wake this process.
  double wait_s = 0.05;
  // Throws UsageError for an invalid option.
  void check() const;
};

// Statistics of one phase over all its occurrences.
struct PhaseUse {
  std::string phase;
  PowerMode mode;
  // Number of occurrences.
  std::size_t times = 0;
  std::size_t switches = 0;  // number of switches to its mode
  // Number of occurrences without a switch because they are usually too short.
  std::size_t too_short = 0;
  double time_s = 0;            // total time
  double median_s = 0;          // median length of recent occurrences
  std::size_t minibatches = 0;  // number of minibatches marked during the phase
  double energy_j = 0;          // total energy, including nested phases
};

struct PhaseOutcome {
  std::vector<PhaseUse> phases;     // in the order of PhaseOptions::modes
  double time_s = 0, energy_j = 0;  // totals until the program ended
  std::size_t minibatches = 0, switches = 0;
  // Time of a switch, from the mark until the mode is read back, and time to write and read back
  // the mode. 0 without switches.
  double median_switch_s = 0, longest_switch_s = 0, median_write_s = 0;
  double switching_s = 0;  // total time of all switches
  std::size_t malformed_marks = 0;
};

// Follows the marks until the program ends. `look`, which may be empty, is called about twice per
// second for safety checks. Throws UsageError for invalid options, and the errors of `look` and the
// program.
PhaseOutcome hold_phases(measure::TunedProgram& program, const PhaseOptions& options,
                         const std::function<void()>& look = {});

}  // namespace ridgewatt::govern
