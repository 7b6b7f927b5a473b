// How well thermal constants are recovered from traces, and how well throttling is predicted: on
// boards that do not exist, whose truth is known.
//
//   const ThermalScores scores = score_thermal({.boards = 200, .seed = 1});
//   scores.constants[0].within;  // share of boards recovered within 10 %
//
// Each board is drawn (thermal/random_board.h) and recorded once: rest, a load, rest, a lighter
// load; looks at 5 Hz whose temperature is rounded to 0.5 or 1 C, and whose power has 1.5 % noise.
// The fit sees that trace and nothing else. Then three other loads at other ambient temperatures
// are asked for: when does the board reach the trip? The truth is the board's own equations.
//
// `unmodelled` boards are not what the fit believes: a heat spreader is a third mass, leakage is
// exponential, the air drifts by a degree up and down, and the power sensor is off by up to 2 %.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::evaluate {

struct ThermalScoreOptions {
  int boards = 200;
  std::uint64_t seed = 1;
  bool ambient_known = true;  // the fit is told it, to half a degree; else it fits it
  bool unmodelled = false;    // boards that the model does not know
  double tolerance = 0.1;     // of the constants
  double time_tolerance = 0.15;
  void check() const;
};

inline constexpr double kClearK = 5;

struct ThermalConstantScore {
  std::string constant;
  double median_error = 0;  // of |fitted / true - 1|
  double ninth_decile = 0;  // 90 % of the boards are better
  double within = 0;        // share of boards within the tolerance
  double covered = 0;       // share whose 90 % interval holds the truth
};

struct ThermalScores {
  ThermalScoreOptions options;
  std::vector<ThermalConstantScore> constants;
  double all_within = 0;  // share of boards with R, both capacities and G within the tolerance
  // Of the loads that throttle in truth between half a minute and two hours.
  std::size_t loads = 0, throttling = 0;
  double time_median_error = 0, time_ninth_decile = 0, time_within = 0, time_covered = 0;
  // Of those whose last temperature would lie kClearK or more above the trip: close to it, a tenth
  // of a kelvin is minutes.
  std::size_t clear = 0;
  double clear_within = 0;
  double missed = 0;          // share of them that were said to hold
  double false_alarms = 0;    // share of the loads that hold, but were said to throttle
  double steady_error_k = 0;  // median, of the loads that hold
};

// A trace of a board, as its zone would show it.
struct TraceSetup {
  double ambient_celsius = 25;
  double design_power_w = 30;
  double step_k = 0.5;  // what the zone rounds to; 0: nothing
  bool unmodelled = false;
  std::uint64_t seed = 1;
};
thermal::HeatTrace simulated_trace(const thermal::ThermalModel& model, const TraceSetup& setup);

// Boards in parallel; the result does not depend on the number of threads.
ThermalScores score_thermal(const ThermalScoreOptions& options);

}  // namespace ridgewatt::evaluate
