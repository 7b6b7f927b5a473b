// A governor for a program on a board of this machine: the policy of simulated days, with the marks
// of the program and the measured power as input.
//
//   LiveGovernor options{.command = {"python3", "train.py"}};
//   const LiveOutcome held = govern_program(sysfs, policy, modes, set_mode, options);
//
// The mode is set through a callback; the caller journals and restores it
// (platform/mode_control.h). The first call comes before the program starts, and so before any
// thread.
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
  std::vector<std::string> command;  // marks its minibatches (measure/marks.h)
  // Instead of a command: a program that already runs, opened after its first mode is set. It is
  // never ended; its previous work does not count.
  std::function<std::unique_ptr<measure::TunedProgram>()> open = {};
  double rate_hz = 100;  // of power samples
  // Seconds of the goal per second of the clock: for programs on a fake board that run faster than
  // the board would.
  double time_scale = 1;
  // Duration, on the clock, of measuring the idle power before the program starts; 0: use that of
  // the twin.
  double rest_s = 2;
  double settle_s = 0.3;  // on the clock; time after a mode change that is not learned from
  // Throws UsageError.
  void check() const;
};

// Times and energies in the time of the goal.
struct LiveStep {
  double begin_s = 0;
  Decision decision;
  Window seen;                           // the part that was learned from
  double minibatches = 0, energy_j = 0;  // since the start, when the step ended
};

struct LiveOutcome {
  int status = 0;      // of the program; 0 if it was ended here
  bool ended = false;  // the budget was used or the job was done; a program of `open` continues
  std::string end;     // the reason
  double end_s = 0, minibatches = 0, energy_j = 0;
  std::size_t switches = 0, trials = 0, malformed_marks = 0;
};

// `set_mode` sets the board's mode; `step` (may be empty) is called after every step. Throws what
// they throw, and what watch_command throws; the program has ended then.
LiveOutcome govern_program(const platform::Sysfs& sysfs, Policy& policy,
                           const std::vector<OperatingPoint>& modes,
                           const std::function<void(const PowerMode&)>& set_mode,
                           const LiveOptions& options,
                           const std::function<void(const LiveStep&)>& step = {});

}  // namespace ridgewatt::govern
