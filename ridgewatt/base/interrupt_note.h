// Says on standard error how to go on if a signal ends this process:
//
//   InterruptNote note;
//   note.set("3 of 20 runs are kept in study.db: repeat the command to continue");
//
// SIGINT, SIGTERM and SIGHUP then print "ridgewatt: interrupted: .." before they end the process.
// Signals that the program handles itself or ignores stay its own. One object at a time.
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

  // For code that has handlers of its own for a while (platform/mode_guardian.h). Whether a handler
  // only ends the process: the default one, or that of a note.
  static bool ends_process(Handler handler);
  // The handler that ends the process now.
  static Handler handler();
};

}  // namespace ridgewatt
