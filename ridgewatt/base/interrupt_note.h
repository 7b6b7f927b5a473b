// Prints on standard error how to continue if a signal ends this process:
//
//   InterruptNote note;
//   note.set("3 of 20 runs are kept in study.db: repeat the command to continue");
//
// SIGINT, SIGTERM and SIGHUP then print "ridgewatt: interrupted: .." before they end the process.
// Signals that the program already handles or ignores are not changed. Only one object may exist.
#pragma once

#include <string_view>

namespace ridgewatt {

class InterruptNote {
 public:
  using Handler = void (*)(int);

  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  // Replaces the text, which is cut at 400 bytes.
  void set(std::string_view text);

  // The following functions are for code that temporarily installs its own handlers
  // (platform/mode_guardian.h). This one returns whether `handler` only ends the process: SIG_DFL
  // or the handler of a note.
  static bool ends_process(Handler handler);
  // Returns the current handler that ends the process: the note's, or SIG_DFL without a note.
  static Handler handler();
};

}  // namespace ridgewatt
