// Calendar times, also as text in UTC.
#pragma once

#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>

namespace ridgewatt {

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
