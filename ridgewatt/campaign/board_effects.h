// Estimates the differences between boards of one kind: each board's offset and slope in time and
// power, from operating points that several of them measured (a campaign's calibration points, or
// any others).
//
//   const BoardEffects effects = board_effects(boards);         // BoardPoints, one per board
//   effects.boards[0].time.offset;                               // 0.05: 5 % slower than the mean
//   const Observation at_mean = to_mean_board(effects.boards[0], row);
//
// The model, for ln time and ln power separately:
//   y(board, point) = level(point) + offset(board) + slope(board) x(point) + noise
// where x(point) is the level less its mean over the shared points. A slope in power means that a
// board draws more where its kind draws much (a chip that needs more voltage) or, if negative,
// where it draws little (a leaky chip, a carrier with high power). A slope in time means that it
// lags where its kind is slow. Offsets and slopes are relative to the mean of the ordinary boards:
// no board is the standard.
//
// Values are natural logarithms: 0.05 is 5 % more. Intervals have a coverage of 90 % (Student's t,
// from the noise between the points of the boards). Method, choices and literature:
// docs/methods/board_effects.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::campaign {

// Prashanthi et al. (SIGMETRICS 2023) ran the same trainings on several boards of a kind: they
// differed by 1 % (AGX Xavier), 5.4 % (Xavier NX) and 7.8 % (Nano) in time, 5.5 to 8.8 % in energy.
inline constexpr double kLargestPublishedDifference = 0.088;

// The measurements of one board for one workload, including repeats, in any order.
struct BoardPoints {
  std::string board;  // its serial
  std::vector<Observation> observations;
};

struct EffectOptions {
  // Prior standard deviations of slopes and offsets: far beyond those of real boards, so that they
  // only matter if the points do not determine a value.
  double slope_prior = 0.1;
  double offset_prior = 1;
  // A point is left out if its residual exceeds the bounds of the noise (one false alarm in a
  // hundred fits) and this value.
  double least_outlier = 0.03;
  void check() const;  // UsageError, by name
};

// One board's time, or its power.
struct QuantityEffect {
  double offset = 0;                        // at the mean level of the shared points
  std::optional<Interval> offset_interval;  // empty: too few points to estimate the noise
  std::optional<double> slope;              // empty: the points do not determine it
  std::optional<Interval> slope_interval;
  double noise = 0;       // standard deviation of its points from its line
  bool outlier = false;   // farther from the others than is usual for a kind
  bool unsteady = false;  // its points scatter more than those of the others
  // Variances and covariance of offset and slope, prior included; for correcting rows.
  double offset_variance = 0, slope_variance = 0, covariance = 0;
  // used to correct rows; near 0 if the points do not determine the slope
  double assumed_slope = 0;
};

struct BoardEffect {
  std::string board;
  std::size_t points = 0;  // operating points that the board measured
  std::size_t shared = 0;  // the part that the estimate uses
  bool known = false;      // false: it shares no point with the others
  QuantityEffect time, power;
};

// The common results of all boards.
struct QuantityNoise {
  double noise = 0;              // standard deviation of a point from its board's line
  double degrees = 0;            // degrees of freedom of the noise
  std::optional<double> repeat;  // of a repeat on the same board, if there are repeats
  double level = 0;              // mean ln of the kind at the shared points: x = 0
  double lowest_level = 0, highest_level = 0;
};

// A point of a board that fits neither its board nor its kind, and was left out.
struct SetAside {
  std::string board;
  OperatingPoint point;
  std::string_view quantity;  // "time" or "power"
  double deviation = 0;       // ln
};

struct BoardEffects {
  std::vector<BoardEffect> boards;  // in the order of the input
  std::size_t shared = 0;           // operating points that several of them measured
  QuantityNoise time, power;
  std::vector<SetAside> set_aside;
  std::vector<std::string> remarks;  // what could not be determined, for people

  const BoardEffect* find(std::string_view board) const;
};

// Throws InputError for a time or power that is not finite and positive, UsageError for two boards
// of one name. One board, or boards without a common point, is not an error: all effects are
// unknown.
BoardEffects board_effects(const std::vector<BoardPoints>& boards,
                           const EffectOptions& options = {});

// The row as the mean board of the kind would have measured it. Rows of a board with unknown
// effects are unchanged.
Observation to_mean_board(const BoardEffects& effects, const BoardEffect& board,
                          const Observation& row);
// Standard deviation of ln time and ln power that the correction adds to the row.
struct CorrectionError {
  double time = 0, power = 0;
};
CorrectionError correction_error(const BoardEffects& effects, const BoardEffect& board,
                                 const Observation& row);

}  // namespace ridgewatt::campaign
