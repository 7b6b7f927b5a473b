// Scores of the estimated differences between boards of one kind (campaign/board_effects.h):
// whether the 90 % intervals contain known differences, and whether a sweep measured by several
// boards is as useful as a sweep of one board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

// Disturbances of simulated boards, in addition to noise.
enum class Trouble {
  kNone,
  kBoard,   // one board takes three times as long
  kPoints,  // one point in 16 has 20 to 60 % more time or power
  kBoth,
};
constexpr auto enum_names(Trouble) {
  return named<Trouble>({{Trouble::kNone, "none"},
                         {Trouble::kBoard, "outlier board"},
                         {Trouble::kPoints, "outlier points"},
                         {Trouble::kBoth, "both"}});
}

struct RecoveryOptions {
  int runs = 200;
  int boards = 8;
  // Standard deviation of the boards' offsets in time and in power (normal).
  double offset_deviation = 0.05;
  double slope_deviation = 0.02;  // standard deviation of the boards' slopes
  // Standard deviation of a measurement; one value per run.
  double least_noise = 0.01, most_noise = 0.02;
  // Number of calibration points, which every board measures.
  int least_points = 6, most_points = 10;
  Trouble trouble = Trouble::kNone;
  std::uint64_t seed = 1;
};

// Shares of (run, board) pairs whose 90 % interval contains the true value, and detection rates.
struct RecoveryScore {
  double time_offset = 0, power_offset = 0, time_slope = 0, power_slope = 0;
  double half_width = 0;      // mean half-width of the intervals of the offsets
  double outliers_found = 0;  // share of the disturbed boards that were identified; 0 without one
  double falsely_named = 0;   // share of undisturbed boards reported as disturbed
  double points_found = 0;    // share of the wrong points that were left out
};

// Simulates boards by the statistical model that the estimate assumes, with noise and disturbances
// drawn from the seed, and scores their estimated effects.
RecoveryScore score_recovery(const RecoveryOptions& options);

struct MergeOptions {
  int boards = 8;
  // Standard deviation of the added differences in time and power; their mean over the boards is 0.
  double offset_deviation = 0.05;
  double noise = 0.015;  // added to each measurement, in addition to the noise of the sweep
  int points = 50;       // number of points to learn from; at most a third of the sweep
  // Number of these points that every board measures. Each other point is measured by one board.
  int calibration = 8;
  int runs = 10;
  std::string method = "auto";
  std::uint64_t seed = 1;
};

// Errors of predictions from points that were measured by one or by several boards: mean absolute
// error in percent over the unflagged rows outside the samples, median over the runs.
struct MergeScore {
  std::string workload, kind;
  int rows = 0, points = 0;
  struct Error {
    double single = 0;       // points of one board
    double merged = 0;       // points of several boards, with their differences removed
    double uncorrected = 0;  // points of several boards, uncorrected
    double ratio() const { return merged / single; }
  };
  Error time, power;
};

// Scores a sweep with simulated differences. Throws UsageError if it has fewer than 30 unflagged
// rows.
MergeScore score_merged(const Sweep& sweep, const MergeOptions& options);

}  // namespace ridgewatt::evaluate
