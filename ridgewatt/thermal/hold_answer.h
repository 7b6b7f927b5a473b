// How long a board holds a power: the answer of thermal/hold.h.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/base/statistics.h"

#pragma GCC visibility push(default)

namespace ridgewatt::thermal {

// The 90 % intervals cover the uncertainty of the fit. Infinity means indefinitely.
struct HoldAnswer {
  double power_w = 0;
  double ambient_celsius = 25, fan = 1, trip_celsius = 0;
  bool holds = true;
  double probability = 1;         // that the power is held
  std::optional<double> holds_s;  // until the trip; empty: indefinitely
  Interval holds_interval_s;
  std::optional<double> steady_celsius;  // empty: thermal runaway
  Interval steady_interval;
  double margin_k = 0;     // from the steady temperature to the trip; below 0: throttles
  double sustained_w = 0;  // can be held indefinitely
  Interval sustained_interval_w;
  double slow_s = 0;  // time constant of the heat sink
};

// "holds", or "throttles after 14 min", or "throttles at once".
std::string hold_text(const HoldAnswer& answer);
std::string hold_time_text(double time_s);  // "14 min", "52 s", "1.5 h"

}  // namespace ridgewatt::thermal

#pragma GCC visibility pop
