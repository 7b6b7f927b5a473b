// What is known of one operating point: the mode and batch that were run, and what it cost.
#pragma once

#include <compare>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt {

// Where to run: a power mode and a minibatch size (0: batch is not a dimension here).
struct OperatingPoint {
  PowerMode mode;
  int batch = 0;
  auto operator<=>(const OperatingPoint&) const = default;
};

// A measured (or modelled) operating point. Times, powers and energies are per minibatch.
struct Observation {
  OperatingPoint point;
  double time_s = 0;
  double power_w = 0;
  double energy_j() const { return time_s * power_w; }
};

}  // namespace ridgewatt
