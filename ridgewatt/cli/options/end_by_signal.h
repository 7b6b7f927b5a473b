// Ends a command after a signal, when everything that it changed is restored.
#pragma once

#include <csignal>
#include <iostream>

#include "ridgewatt/measure/live_program.h"

namespace ridgewatt::cli {

// Ends this process by the default action of the signal, so that its parent sees the signal.
[[noreturn]] inline void end_by_signal(int number) {
  std::cout.flush();
  ::signal(number, SIG_DFL);
  ::raise(number);
  throw measure::InterruptedError(number);
}

}  // namespace ridgewatt::cli
