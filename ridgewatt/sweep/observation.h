// One operating point: the mode and batch that were run, and the measured time, power and energy.
#pragma once

#include <compare>
#include <optional>

#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// Where to run: a power mode and a minibatch size (0: the batch is not a dimension).
struct OperatingPoint {
  PowerMode mode;
  int batch = 0;
  auto operator<=>(const OperatingPoint&) const = default;
};

// A measured (or modelled) operating point. Times, powers and energies are per minibatch: totals
// over a window divided by its minibatches. Absent values are unknown.
struct Observation {
  OperatingPoint point;
  double time_s = 0;   // mean from one minibatch to the next, including the wait for data
  double power_w = 0;  // mean over that time
  std::optional<double> measured_energy_j = {};  // the integral of power
  std::optional<double> time_median_s = {};
  std::optional<double> fetch_stall_s = {};  // mean wait for data
  // The energy of this point: measured if there is a measurement, otherwise time x power.
  double energy_j() const { return measured_energy_j.value_or(time_s * power_w); }
};

}  // namespace ridgewatt

#pragma GCC visibility pop
