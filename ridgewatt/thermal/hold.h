// For how long a board can hold a power, and which one it can hold for ever: by a fitted thermal
// model, with what its fit leaves open.
//
//   const HoldAnswer answer = how_long(fit, {.power_w = 42, .ambient_celsius = 35});
//   answer.holds_s;      // 870: throttles after 14.5 minutes; nothing: it holds
//   answer.sustained_w;  // 36: what it holds without end
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::thermal {

struct HoldQuestion {
  double power_w = 0;                     // at kPowerCelsius
  std::optional<double> ambient_celsius;  // nothing: as during the trace
  std::optional<double> fan;              // share of full speed; nothing: as during the trace
  std::optional<double> trip_celsius;     // nothing: the board's
  std::optional<ThermalState> from;       // nothing: the board at rest
  std::uint64_t seed = 1;
  int draws = 200;  // of the constants, for the intervals
};

// Intervals hold 90 % of what the fit leaves open. Infinity stands for "for ever".
struct HoldAnswer {
  double power_w = 0;
  double ambient_celsius = 25, fan = 1, trip_celsius = 0;
  bool holds = true;
  double probability = 1;         // that it holds
  std::optional<double> holds_s;  // until the trip; nothing: for ever
  Interval holds_interval_s;
  std::optional<double> steady_celsius;  // nothing: thermal runaway
  Interval steady_interval;
  double margin_k = 0;     // from there to the trip; below 0: it throttles
  double sustained_w = 0;  // held for ever
  Interval sustained_interval_w;
  double slow_s = 0;  // time constant of the heat sink
};

// Throws UsageError: no trip is known, or the question means nothing.
HoldAnswer how_long(const ThermalFit& fit, const HoldQuestion& question);
// "holds", or "throttles after 14 min", or "throttles at once".
std::string hold_text(const HoldAnswer& answer);
std::string hold_time_text(double time_s);  // "14 min", "52 s", "1.5 h"

}  // namespace ridgewatt::thermal
