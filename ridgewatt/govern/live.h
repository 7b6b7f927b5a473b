// Governs a program on a board of this machine. Uses the policy of simulated days, with the marks
// of the program and the measured power as its input.
//
//   LiveOptions options{.command = {"python3", "train.py"}};
//   const LiveOutcome held = govern_program(sysfs, policy, modes, set_mode, options);
//
// The callback `set_mode` sets the modes. The caller must record and restore the original mode
// (platform/mode_control.h). `set_mode` is first called before the program and any thread
// start.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/govern/policy.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::govern {

struct LiveOptions {
  // Program to run; it must mark its minibatches (measure/marks.h).
  std::vector<std::string> command;
  // If set, this function opens a running program after the first mode was set, and `command` is
  // not used. Such a program is never ended, and its earlier work does not count.
  std::function<std::unique_ptr<measure::TunedProgram>()> open = {};
  double rate_hz = 100;  // rate of power samples
  // Ratio of the time in the goal to real time. Above 1 for a program that runs faster on a fake
  // board than it would on a real board.
  double time_scale = 1;
  // Real time for measuring the idle power before the program starts. 0: uses the idle power of the
  // twin. Not used with `open`.
  double rest_s = 2;
  double settle_s = 0.3;  // real time after a mode change during which nothing is learned
  // Throws UsageError for an invalid option.
  void check() const;
};

// One step between two decisions. Times and energies are scaled to the time of the goal.
struct LiveStep {
  double begin_s = 0;
  Decision decision;
  Window seen;                           // what the policy learned from
  double minibatches = 0, energy_j = 0;  // totals from the start to the end of the step
};

struct LiveOutcome {
  int status = 0;      // exit status of the program; 0 if the governor ended it
  bool ended = false;  // whether the governor ended the run; a program of `open` continues
  std::string end;     // why the run ended
  // Scaled to the time of the goal.
  double end_s = 0, minibatches = 0, energy_j = 0;
  std::size_t switches = 0, trials = 0, malformed_marks = 0;
};

// Runs the program until it ends or the goal is over. `set_mode` sets the mode of the board;
// `step`, which may be empty, is called after each step. Throws UsageError for invalid options, and
// the errors of the callbacks and of measure::watch_command(); the program has then been ended.
LiveOutcome govern_program(const platform::Sysfs& sysfs, Policy& policy,
                           const std::vector<OperatingPoint>& modes,
                           const std::function<void(const PowerMode&)>& set_mode,
                           const LiveOptions& options,
                           const std::function<void(const LiveStep&)>& step = {});

}  // namespace ridgewatt::govern
