// Predicts how long a board can hold a given power before it throttles, and which power it can hold
// indefinitely, from a fitted thermal model and its uncertainty.
//
//   const HoldAnswer answer = how_long(fit, {.power_w = 42, .ambient_celsius = 35});
//   answer.holds_s;      // 870: throttles after 14.5 minutes; empty: does not throttle
//   answer.sustained_w;  // 36: the highest power that can be held indefinitely
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ridgewatt/thermal/hold_answer.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::thermal {

struct ThermalFile;

struct HoldQuestion {
  double power_w = 0;  // power at the junction temperature kPowerCelsius
  // Absent: as in the trace. If the ambient temperature of the trace was measured, the error of its
  // thermometer also applies to this value.
  std::optional<double> ambient_celsius;
  std::optional<double> fan;  // Share of full speed. Absent: as in the trace.
  // Temperature at which the board throttles. Absent: that of the board.
  std::optional<double> trip_celsius;
  std::optional<ThermalState> from;  // Initial state. Absent: steady state at idle power.
  std::uint64_t seed = 1;
  int draws = 200;  // number of samples of the constants, for the intervals
};

// Throws UsageError if no trip temperature is known or a value is out of range.
HoldAnswer how_long(const ThermalFit& fit, const HoldQuestion& question);
// Uses the constants of a file. The answer has the provenance of the file.
HoldAnswer how_long(const ThermalFile& file, const HoldQuestion& question);
}  // namespace ridgewatt::thermal
