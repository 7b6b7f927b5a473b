// Test helper: a trace in the format of `soak --trace`.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace ridgewatt::testing {

// Returns a trace with two minutes of idle at 10 W, then 14 minutes at 40 W. The chip has 0.3 K/W
// to a heat sink of 1 W/K and 300 J/K at 25 C, and its temperature approaches 25 + 40 (0.3 + 1) =
// 77 C. The zone rounds to half a degree.
inline std::string heat_trace_text() {
  std::ostringstream out;
  out << "time_s,power_w,temperature_c,fan\n";
  for (int time_s = 0; time_s < 960; ++time_s) {
    const double load_s = std::max(0, time_s - 120);
    const double sink = 25 + 10 + 30 * (1 - std::exp(-load_s / 300));
    const double power_w = load_s > 0 ? 40 : 10;
    const double junction = sink + 0.3 * (load_s > 0 ? 40 - 30 * std::exp(-load_s / 3) : 10);
    out << time_s << ',' << power_w << ',' << 0.5 * std::round(junction / 0.5) << ",0.5\n";
  }
  return out.str();
}

}  // namespace ridgewatt::testing
