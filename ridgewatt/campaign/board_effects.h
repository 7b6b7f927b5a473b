// Estimates the differences between boards of one kind: the offset and slope of each board in time
// and power, from operating points that at least two boards measured, such as the calibration
// points of a campaign.
//
//   const BoardEffects effects = board_effects(boards);         // BoardPoints, one per board
//   effects.boards[0].time.offset;                               // 0.05: 5 % above the mean
//   const Observation at_mean = to_mean_board(effects, effects.boards[0], row);
//
// The model is fitted separately to ln time and ln power:
//   y(board, point) = level(point) + offset(board) + slope(board) x(point) + noise
// where x(point) is the level minus its mean over the shared points. A positive slope in power
// means that the board's excess grows with the power of the point (a chip that needs more voltage).
// A negative slope means that the excess is largest at points of low power (a leaky chip, or a
// carrier board with high power). Offsets and slopes are relative to the mean of the boards that
// are not outliers.
//
// Effects are in natural logarithms: 0.05 means 5 % more. Intervals have a coverage of 90 %
// (Student's t with the residual noise of the fit). docs/methods/board_effects.md has the method,
// its choices and the literature.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/point_flag.h"

namespace ridgewatt::campaign {

// Largest published difference between boards of a kind. Prashanthi et al. (SIGMETRICS 2023) ran
// the same trainings on several boards. Times differed by 1 % (AGX Xavier), 5.4 % (Xavier NX) and
// 7.8 % (Nano), energies by 5.5 to 8.8 %.
inline constexpr double kLargestPublishedDifference = 0.088;

// The measurements of one board for one workload, including repeats, in any order.
struct BoardPoints {
  std::string board;  // serial number
  std::vector<Observation> observations;
  std::vector<PointFlags> flags = {};  // of the observations; empty: none has a flag
};

struct EffectOptions {
  // Prior standard deviations of slopes and offsets. They far exceed the differences of real
  // boards, so they only matter if the points do not determine a value.
  double slope_prior = 0.1;
  double offset_prior = 1;
  // A point is left out if its residual exceeds this value and the bound of the noise (one false
  // alarm in a hundred fits).
  double least_outlier = 0.03;
  void check() const;  // throws UsageError that names the option
};

// Effect of one board on time or on power.
struct QuantityEffect {
  double offset = 0;                        // at the mean level of the shared points
  std::optional<Interval> offset_interval;  // absent: too few points to estimate the noise
  std::optional<double> slope;              // absent: the points do not determine it
  std::optional<Interval> slope_interval;
  double noise = 0;       // standard deviation of the board's points from its line
  bool outlier = false;   // whether the board differs unusually from the other boards
  bool unsteady = false;  // whether its points scatter more than those of the other boards
  // Variances and covariance of offset and slope, including the prior. Used by correction_error().
  double offset_variance = 0, slope_variance = 0, covariance = 0;
  // Slope that to_mean_board() uses. Near 0 if the points do not determine a slope.
  double assumed_slope = 0;
};

// Effects of one board.
struct BoardEffect {
  std::string board;
  std::size_t points = 0;  // number of operating points that the board measured
  std::size_t shared = 0;  // number of these points that the estimate uses
  bool known = false;      // false: no point is shared with other boards
  QuantityEffect time, power;
};

// Quantities that are common to all boards.
struct QuantityNoise {
  double noise = 0;    // standard deviation of a point from the line of its board
  double degrees = 0;  // degrees of freedom of the noise
  // Standard deviation of repeats on the same board; absent without repeats.
  std::optional<double> repeat;
  double level = 0;  // mean level (ln) of the shared points, where x = 0
};

// A measurement that was left out because it fits neither its board nor the other boards.
struct SetAside {
  std::string board;
  OperatingPoint point;
  std::string_view quantity;  // "time" or "power"
  double deviation = 0;       // difference from the expected value, ln
};

struct BoardEffects {
  std::vector<BoardEffect> boards;  // in the order of the input
  std::size_t shared = 0;           // number of operating points that at least two boards measured
  QuantityNoise time, power;
  std::vector<SetAside> set_aside;
  std::vector<std::string> remarks;  // what could not be determined, as text

  // Returns the effects of the board with this serial number; null if there are none.
  const BoardEffect* find(std::string_view board) const;
};

// Estimates the effects. Throws InputError for a time or power that is not finite and positive, and
// UsageError for two boards with the same name. If there is one board, or if boards share no point,
// all effects are unknown.
BoardEffects board_effects(const std::vector<BoardPoints>& boards,
                           const EffectOptions& options = {});

// Returns the row as the mean board of the kind would have measured it. Returns the row unchanged
// if the effects of the board are unknown.
Observation to_mean_board(const BoardEffects& effects, const BoardEffect& board,
                          const Observation& row);
// Standard deviations of the correction of a row, in ln time and ln power.
struct CorrectionError {
  double time = 0, power = 0;
};
CorrectionError correction_error(const BoardEffects& effects, const BoardEffect& board,
                                 const Observation& row);

}  // namespace ridgewatt::campaign
