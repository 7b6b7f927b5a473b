// An operating point, and the time, power and energy measured there.
#pragma once

#include <compare>
#include <optional>

#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// A power mode and a minibatch size. Batch 0: the batch is not a dimension.
struct OperatingPoint {
  PowerMode mode;
  int batch = 0;
  auto operator<=>(const OperatingPoint&) const = default;
};

// A measured or modelled operating point. Times, powers and energies are per minibatch: totals over
// a time window divided by its number of minibatches. Absent values are not known.
struct Observation {
  OperatingPoint point;
  double time_s = 0;   // mean time from one minibatch to the next, including waits for data
  double power_w = 0;  // mean power over that time
  std::optional<double> measured_energy_j = {};  // integral of the power
  std::optional<double> time_median_s = {};
  std::optional<double> fetch_stall_s = {};  // mean wait for data
  // The measured energy if there is one, otherwise time x power.
  double energy_j() const { return measured_energy_j.value_or(time_s * power_w); }
};

}  // namespace ridgewatt

#pragma GCC visibility pop
