// When something was, in tables: "2026-11-23T04:05:06Z".
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "ridgewatt/report/table.h"

namespace ridgewatt::cli {

// Empty for 0 and before: what was imported has no time.
inline report::Cell utc_cell(std::int64_t unix_s) {
  if (unix_s <= 0) return {};
  const std::time_t time = unix_s;
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return std::string(text);
}

}  // namespace ridgewatt::cli
