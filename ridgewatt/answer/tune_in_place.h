// The question of tune.h asked of one program that goes on running: modes change under it between
// minibatches, and in the end it goes on in the best one.
//
//   InPlaceAnswer found = tune_in_place(question, board, in_place, [](const TuneAnswer& answer) {
//     ..   // the search has ended; the program goes on in the mode of its answer until it ends
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
  measure::InPlaceOptions options;  // but for the limit
  std::optional<pid_t> process;     // that runs already; else the command of the board's profile
  // Opened in place of both, once the first mode is set: this process itself (CallerProgram).
  std::function<std::unique_ptr<measure::TunedProgram>()> open = {};
  bool end_program = false;  // once the search has ended
};

struct InPlaceAnswer {
  TuneAnswer answer;
  measure::InPlaceRun run;     // of everything, until the program ended
  std::size_t windows = 0;     // of the search
  double search_s = 0;         // until the answer was known
  int search_minibatches = 0;  // that the program did in it
  double held_s = 0;           // in the answer's mode
  int held_minibatches = 0;
  int left_modes = 0;          // for drawing too much
  int renewed = 0;             // windows that measured again what drift had made stale
  bool program_ended = false;  // before the search did
  int status = 0;              // of the program, as a shell says it
  int signal = 0;              // that ended the holding; 0: the program ended by itself
};

// Points that the store has of the series are what is known at first, and no answer before they
// were measured again. The board's first mode is back when this returns. Throws what LiveProgram
// and InPlaceSearch throw; measure::InterruptedError where a signal ended the search.
InPlaceAnswer tune_in_place(const TuneQuestion& question, LiveBoard& board,
                            const InPlaceQuestion& in_place,
                            const std::function<void(const TuneAnswer&)>& found = {});

}  // namespace ridgewatt::answer
