// What boards of one kind differ by: each board's offset and slope in time and power, from
// operating points that several of them measured (a campaign's calibration points, or any others).
//
//   const BoardEffects effects = board_effects(boards);         // BoardPoints, one per board
//   effects.boards[0].time.offset;                               // 0.05: 5 % slower than the mean
//   const Observation at_mean = to_mean_board(effects.boards[0], row);
//
// The model, of ln time and of ln power by itself:
//   y(board, point) = level(point) + offset(board) + slope(board) x(point) + noise
// where x(point) is the level less its mean over the shared points. A slope in power thus says that
// a board draws more where its kind draws much (a chip that needs more voltage) or, negative, where
// it draws little (a leaky chip, a hungry carrier); a slope in time that it lags where its kind is
// slow. Offsets and slopes are relative to the mean of the ordinary boards: no board is a standard.
//
// Values are natural logarithms: 0.05 is 5 % more. Intervals hold 90 % (Student's t, of the noise
// between points that the boards show themselves). Method, choices and literature:
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

// What one board measured of one workload, repeats and all, in any order.
struct BoardPoints {
  std::string board;  // its serial
  std::vector<Observation> observations;
};

struct EffectOptions {
  // How far slopes and offsets may lie from none before any data (standard deviations): far beyond
  // what boards do, so that they only matter where the points say nothing.
  double slope_prior = 0.1;
  double offset_prior = 1;
  // A point is set aside when its residual is beyond the bounds of the noise (one false alarm in a
  // hundred fits) and beyond this.
  double least_outlier = 0.03;
  void check() const;  // UsageError, by name
};

// One board's time, or its power.
struct QuantityEffect {
  double offset = 0;                        // at the mean level of the shared points
  std::optional<Interval> offset_interval;  // nothing: too few points to know the noise
  std::optional<double> slope;              // nothing: the points do not tell
  std::optional<Interval> slope_interval;
  double noise = 0;       // standard deviation of its points from its line
  bool outlier = false;   // farther from the others than boards of a kind are
  bool unsteady = false;  // its points scatter more than those of the others
  // Variances and covariance of offset and slope, prior included; for correcting rows.
  double offset_variance = 0, slope_variance = 0, covariance = 0;
  double assumed_slope = 0;  // that rows are corrected with; near 0 where the points do not tell
};

struct BoardEffect {
  std::string board;
  std::size_t points = 0;  // operating points that it measured
  std::size_t shared = 0;  // of these, those that the estimate rests on
  bool known = false;      // false: it shares no point with the others
  QuantityEffect time, power;
};

// What the boards have in common.
struct QuantityNoise {
  double noise = 0;              // standard deviation of a point from its board's line
  double degrees = 0;            // of freedom that it was estimated with
  std::optional<double> repeat;  // of a repeat on the same board, where there are repeats
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
  std::vector<std::string> remarks;  // what could not be told, for people

  const BoardEffect* find(std::string_view board) const;
};

// Throws InputError on a time or power that is not finite and positive, UsageError on two boards of
// one name. One board, or none that shares a point with another, is not an error: nothing is known.
BoardEffects board_effects(const std::vector<BoardPoints>& boards,
                           const EffectOptions& options = {});

// The row as the mean board of the kind would have measured it. A board whose effect is not known
// is left as it is.
Observation to_mean_board(const BoardEffects& effects, const BoardEffect& board,
                          const Observation& row);
// Standard deviation of ln time and ln power that this adds to the row.
struct CorrectionError {
  double time = 0, power = 0;
};
CorrectionError correction_error(const BoardEffects& effects, const BoardEffect& board,
                                 const Observation& row);

}  // namespace ridgewatt::campaign
