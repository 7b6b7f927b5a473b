// Predicts how long a board can hold a power, and which power it can hold indefinitely, from a
// fitted thermal model and its uncertainty.
//
//   const HoldAnswer answer = how_long(fit, {.power_w = 42, .ambient_celsius = 35});
//   answer.holds_s;      // 870: throttles after 14.5 minutes; empty: does not throttle
//   answer.sustained_w;  // 36: can be held indefinitely
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ridgewatt/thermal/hold_answer.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::thermal {

struct HoldQuestion {
  double power_w = 0;                     // at kPowerCelsius
  std::optional<double> ambient_celsius;  // empty: as during the trace
  std::optional<double> fan;              // share of full speed; empty: as during the trace
  std::optional<double> trip_celsius;     // empty: that of the board
  std::optional<ThermalState> from;       // empty: the idle board
  std::uint64_t seed = 1;
  int draws = 200;  // of the constants, for the intervals
};

// Throws UsageError if no trip temperature is known or a value is out of range.
HoldAnswer how_long(const ThermalFit& fit, const HoldQuestion& question);
}  // namespace ridgewatt::thermal
