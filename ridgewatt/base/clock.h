// The clock of all measurements: monotonic seconds, comparable between all processes of the
// machine, and a stopwatch for elapsed time. Also calendar times.
//
//   const Stopwatch watch;
//   work();
//   score.time_s = watch.s();
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>

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

// Returns "2026-11-23T04:05:06Z", or the result of another strftime() format of at most 31
// characters.
inline std::string utc_text(std::time_t unix_s, const char* form = "%Y-%m-%dT%H:%M:%SZ") {
  std::tm utc{};
  gmtime_r(&unix_s, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, form, &utc)};
}
// Returns the seconds since 1970 of the moment `elapsed_s` ago, rounded down.
inline std::int64_t unix_s_before(double elapsed_s) {
  std::timespec now{};
  std::timespec_get(&now, TIME_UTC);
  const double now_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return static_cast<std::int64_t>(std::floor(now_s - elapsed_s));
}
// Returns the current date, such as "2026-11-23".
inline std::string today_text() {
  return utc_text(std::time(nullptr), "%Y-%m-%d");
}

}  // namespace ridgewatt
