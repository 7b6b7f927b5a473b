// The one clock: monotonic seconds on one scale for all processes of the machine, and a stopwatch
// for elapsed time.
//
//   const Stopwatch watch;
//   work();
//   score.time_s = watch.s();
#pragma once

#include <chrono>

namespace ridgewatt {

// CLOCK_MONOTONIC now, in seconds: what time stamps of samples and marks are in.
inline double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Runs from its making.
class Stopwatch {
 public:
  double s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ridgewatt
