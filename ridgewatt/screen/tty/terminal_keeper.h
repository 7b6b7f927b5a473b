// Puts the terminal back when the program that draws on it is killed and cannot do so: a process
// that waits for its end. Made before the terminal is changed.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::screen {

class TerminalKeeper {
 public:
  // Forks. `back` is printed to turn the screen back. Where standard output is no terminal nothing
  // is kept.
  explicit TerminalKeeper(const std::string& back);
  // Ends the process; the terminal is as it was already.
  ~TerminalKeeper() { done(); }
  TerminalKeeper(const TerminalKeeper&) = delete;
  TerminalKeeper& operator=(const TerminalKeeper&) = delete;
  void done();

 private:
  [[noreturn]] void keep(int owner, const std::string& back, const termios& before);

  pid_t child_ = -1;
  OwnedFd pipe_;
};

}  // namespace ridgewatt::screen
