// Calendar times as text, in UTC.
#pragma once

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
// Returns the current date, such as "2026-11-23".
inline std::string today_text() {
  return utc_text(std::time(nullptr), "%Y-%m-%d");
}

}  // namespace ridgewatt
