// The clock of all measurements: monotonic seconds, comparable between all processes of the
// machine, and a stopwatch for elapsed time.
//
//   const Stopwatch watch;
//   work();
//   score.time_s = watch.s();
#pragma once

#include <chrono>

namespace ridgewatt {

// Returns the time of CLOCK_MONOTONIC in seconds. Time stamps of samples and marks use this clock.
inline double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Measures the time since its construction or the last restart().
class Stopwatch {
 public:
  double s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ridgewatt
