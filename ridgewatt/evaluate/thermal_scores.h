// Scores of fitted thermal constants and of predicted throttling, on random boards whose true
// constants are known.
//
//   const ThermalScores scores = score_thermal({.boards = 200, .seed = 1});
//   scores.constants[0].within;  // share of boards recovered within 10 %
//
// Each board is random (thermal/random_board.h) and recorded once: rest, a load, rest, a lighter
// load; readings at 5 Hz with temperatures rounded to 0.5 or 1 C and 1.5 % noise of power. The fit
// sees only that trace. Then it predicts for three other loads at other ambient temperatures when
// the board reaches the trip. The truth comes from the board's own equations.
//
// `unmodelled` boards differ from the fitted model: a heat spreader is a third mass, leakage is
// exponential, the air temperature drifts by a degree up and down, and the power sensor has an
// error of up to 2 %.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::evaluate {

struct ThermalScoreOptions {
  int boards = 200;
  std::uint64_t seed = 1;
  bool ambient_known = true;  // the fit gets it to half a degree; otherwise it fits it
  bool unmodelled = false;    // boards that differ from the model
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
  // Loads that truly throttle between half a minute and two hours.
  std::size_t loads = 0, throttling = 0;
  double time_median_error = 0, time_ninth_decile = 0, time_within = 0, time_covered = 0;
  // Those whose steady temperature would be kClearK or more above the trip: near the trip, a tenth
  // of a kelvin makes minutes of difference.
  std::size_t clear = 0;
  double clear_within = 0;
  double missed = 0;          // share of them that were predicted to hold
  double false_alarms = 0;    // share of the holding loads that were predicted to throttle
  double steady_error_k = 0;  // median, of the holding loads
};

// A trace of a board, as recorded by its thermal zone.
struct TraceSetup {
  double ambient_celsius = 25;
  double design_power_w = 30;
  double step_k = 0.5;  // rounding step of the zone; 0: none
  bool unmodelled = false;
  std::uint64_t seed = 1;
};
thermal::HeatTrace simulated_trace(const thermal::ThermalModel& model, const TraceSetup& setup);

// Boards are computed in parallel; the result does not depend on the number of threads.
ThermalScores score_thermal(const ThermalScoreOptions& options);

}  // namespace ridgewatt::evaluate
