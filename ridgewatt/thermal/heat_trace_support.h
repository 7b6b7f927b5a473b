// For tests of the program: a trace of heat as `soak --trace` writes it.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace ridgewatt::testing {

// Rest at 10 W for two minutes, then 40 W for 14: a chip of 0.3 K/W over a heat sink of 1 W/K and
// 300 J/K at 25 C, which ends at 25 + 40 (0.3 + 1) = 77 C. The zone rounds to half a degree.
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
