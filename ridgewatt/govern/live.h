// A governor over a program that runs on a board at hand: the policy of simulated days, fed with
// what the program marks and the board draws.
//
//   LiveGovernor options{.command = {"python3", "train.py"}};
//   const LiveOutcome held = govern_program(sysfs, policy, modes, set_mode, options);
//
// The mode is set through a callback, by which the caller journals and restores it
// (platform/mode_control.h). It is called before the program starts, too: before any thread.
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
  // In place of a command: a program that runs already, opened once its first mode is set. It is
  // never ended; what it did before does not count.
  std::function<std::unique_ptr<measure::TunedProgram>()> open = {};
  double rate_hz = 100;  // of power samples
  // So many seconds of the goal pass in one of the clock: for programs on a fake board that run
  // faster than the board would.
  double time_scale = 1;
  // Of the clock, for which the board's power at rest is measured before the program starts; 0: the
  // twin's is believed.
  double rest_s = 2;
  double settle_s = 0.3;  // of the clock, after a mode was set, that is not learned from
  // Throws UsageError.
  void check() const;
};

// Times and energies in the time of the goal.
struct LiveStep {
  double begin_s = 0;
  Decision decision;
  Window seen;                           // of it what was learned from
  double minibatches = 0, energy_j = 0;  // since the beginning, when it ended
};

struct LiveOutcome {
  int status = 0;  // of the program; 0 where it was ended here
  bool ended =
      false;        // because the budget was used or the job was done; a program of `open` goes on
  std::string end;  // why
  double end_s = 0, minibatches = 0, energy_j = 0;
  std::size_t switches = 0, trials = 0, malformed_marks = 0;
};

// `set_mode` makes the board's mode that of its argument; `step` (may be empty) hears of every
// step when it is over. Throws what they throw, and what watch_command throws; the program has
// ended then.
LiveOutcome govern_program(const platform::Sysfs& sysfs, Policy& policy,
                           const std::vector<OperatingPoint>& modes,
                           const std::function<void(const PowerMode&)>& set_mode,
                           const LiveOptions& options,
                           const std::function<void(const LiveStep&)>& step = {});

}  // namespace ridgewatt::govern
