// Scores of fitted thermal constants and predicted throttling times, on random simulated boards
// with known constants.
//
//   const ThermalScores scores = score_thermal({.boards = 200, .seed = 1});
//   scores.constants[0].within;  // share of boards whose constant is fitted within 10 %
//
// Each board is random (thermal/random_board.h) and is recorded once: idle, a load, idle, a lighter
// load. The trace has 5 readings per second, temperatures rounded to 0.5 or 1 C, and 1.5 % noise of
// the power. The fit uses only this trace. It then predicts when the board reaches its trip
// temperature, for three other loads at other ambient temperatures. The true times come from the
// equations of the board.
//
// Boards with `unmodelled` differ from the fitted model: a heat spreader adds a third thermal mass,
// leakage is exponential, the air temperature drifts by 1 C up and down, and the power sensor has
// an error of up to 2 %.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::evaluate {

struct ThermalScoreOptions {
  int boards = 200;
  std::uint64_t seed = 1;
  // The fit gets the ambient temperature with an error of up to 0.5 C. False: it fits this
  // temperature.
  bool ambient_known = true;
  bool unmodelled = false;  // boards that differ from the model
  double tolerance = 0.1;   // of the constants, as a fraction
  // Tolerance of the predicted time until throttling, as a fraction.
  double time_tolerance = 0.15;
  void check() const;  // throws UsageError for an invalid option
};

// Margin above the trip temperature for `clear`, in kelvins.
inline constexpr double kClearK = 5;

struct ThermalConstantScore {
  std::string constant;
  double median_error = 0;  // median of |fitted / true - 1|
  double ninth_decile = 0;  // ninth decile of |fitted / true - 1|
  double within = 0;        // share of boards within the tolerance
  double covered = 0;       // share of boards whose 90 % interval contains the true value
};

struct ThermalScores {
  ThermalScoreOptions options;
  std::vector<ThermalConstantScore> constants;
  double all_within = 0;  // share of boards with R, both capacities and G in tolerance
  // `throttling` is the number of loads that truly throttle after 0.5 to 120 minutes. Times are
  // scored for these loads.
  std::size_t loads = 0, throttling = 0;
  double time_median_error = 0, time_ninth_decile = 0, time_within = 0, time_covered = 0;
  // Throttling loads whose steady temperature would exceed the trip by kClearK or more. Near the
  // trip, an error of 0.1 K changes the time by minutes.
  std::size_t clear = 0;
  double clear_within = 0;
  double missed = 0;          // share of `throttling` that was predicted to hold
  double false_alarms = 0;    // share of the holding loads that were predicted to throttle
  double steady_error_k = 0;  // median over the holding loads
};

// How a simulated board is recorded.
struct TraceSetup {
  double ambient_celsius = 25;
  double design_power_w = 30;
  double step_k = 0.5;  // rounding step of the temperature; 0: none
  bool unmodelled = false;
  std::uint64_t seed = 1;
};
// Returns the recorded trace of a board.
thermal::HeatTrace simulated_trace(const thermal::ThermalModel& model, const TraceSetup& setup);

// Simulates the boards in parallel. The result does not depend on the number of threads.
ThermalScores score_thermal(const ThermalScoreOptions& options);
// Scores boards with and without effects that the model lacks, each with and without a known
// ambient temperature.
std::vector<ThermalScores> score_thermal_cases(const ThermalScoreOptions& options);

}  // namespace ridgewatt::evaluate
