// Restores the terminal if the program that draws on it is killed. A helper process waits for the
// end of the program. Construct the object before changing the terminal.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::screen {

class TerminalKeeper {
 public:
  // Forks the helper process. `back` is the text that leaves the screen mode. Does nothing if
  // standard output is not a terminal.
  explicit TerminalKeeper(const std::string& back);
  // Ends the helper process. The program must have restored the terminal already.
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
