// The answer of how_long() (thermal/hold.h).
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/provenance.h"

#pragma GCC visibility push(default)

namespace ridgewatt::thermal {

// Intervals have a probability of 90 % and cover the uncertainty of the fit. Infinity means
// indefinitely.
struct HoldAnswer {
  double power_w = 0;
  double ambient_celsius = 25, fan = 1, trip_celsius = 0;
  bool holds = true;
  double probability = 1;         // probability that the board never throttles
  std::optional<double> holds_s;  // Time until it throttles. Absent: never.
  Interval holds_interval_s;
  std::optional<double> steady_celsius;  // absent: thermal runaway
  Interval steady_interval;
  double margin_k = 0;  // Trip temperature minus steady temperature. Negative: the board throttles.
  double sustained_w = 0;  // highest power that can be held indefinitely
  Interval sustained_interval_w;
  double slow_s = 0;                              // time constant of the heat sink
  Provenance provenance = Provenance::kModelled;  // kFake: constants of a fake board
};

// Returns "holds", "throttles after 14 min" or "throttles immediately".
std::string hold_text(const HoldAnswer& answer);
std::string hold_time_text(double time_s);  // "14 min", "52 s", "1.5 h"

}  // namespace ridgewatt::thermal

#pragma GCC visibility pop
