// The end of a command that a signal asked to end, once what it changed is back.
#pragma once

#include <csignal>
#include <iostream>

#include "ridgewatt/measure/live_program.h"

namespace ridgewatt::cli {

// As if the signal had ended us: whoever started us sees it.
[[noreturn]] inline void end_by_signal(int number) {
  std::cout.flush();
  ::signal(number, SIG_DFL);
  ::raise(number);
  throw measure::InterruptedError(number);
}

}  // namespace ridgewatt::cli
