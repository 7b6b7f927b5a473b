// Tunes a program while it runs: the search changes modes between its minibatches, and the program
// then continues in the best mode.
//
//   InPlaceAnswer found = tune_in_place(question, board, in_place, [](const TuneAnswer& answer) {
//     ..   // called when the search has ended; the program then continues in the best mode
//   });
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>

#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/measure/in_place.h"

namespace ridgewatt::answer {

struct InPlaceQuestion {
  measure::InPlaceOptions options;  // the power limit is set from the goal
  // Process id of a running program; absent: start board.profile's command.
  std::optional<pid_t> process;
  // If set, this function opens the program after the first mode is set, in place of starting
  // `command` or attaching to `process`: a measure::CallerProgram tunes this process itself.
  std::function<std::unique_ptr<measure::TunedProgram>()> open = {};
  bool end_program = false;  // end the program after the search
};

struct InPlaceAnswer {
  TuneAnswer answer;
  measure::InPlaceRun run;     // from the start of the search to the end of the program
  std::size_t windows = 0;     // windows measured by the search
  double search_s = 0;         // duration of the search
  int search_minibatches = 0;  // minibatches during the search
  double held_s = 0;           // time in the best mode
  int held_minibatches = 0;    // minibatches in the best mode
  int left_modes = 0;          // modes that were abandoned because they exceeded the power limit
  int renewed = 0;             // windows that replaced measurements outdated by drift
  bool program_ended = false;  // the program ended before the search did
  int status = 0;              // exit status of the program, as in a shell
  int signal = 0;              // signal that ended the time in the best mode; 0: none
};

// Runs the search and then waits until the program ends or a signal arrives. Calls `found`, which
// may be empty, with the answer when the search has ended. Stored points of the series guide the
// search, but only points measured in this run can be the answer. Restores the original mode of the
// board before it returns. Throws the errors of LiveProgram and InPlaceSearch, and
// measure::InterruptedError if a signal ends the search.
InPlaceAnswer tune_in_place(const TuneQuestion& question, LiveBoard& board,
                            const InPlaceQuestion& in_place,
                            const std::function<void(const TuneAnswer&)>& found = {});

}  // namespace ridgewatt::answer
