// Scores of estimated differences between boards of a kind (campaign/board_effects.h): whether
// known differences lie within their intervals, and whether a sweep that several boards measured is
// as good as that of one board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

// The disturbances of simulated boards, in addition to noise.
enum class Trouble {
  kNone,
  kBoard,   // one board takes three times as long
  kPoints,  // one point in 16 is 20 to 60 % too slow or too high
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
  double offset_deviation = 0.05;  // normal, of time and of power
  double slope_deviation = 0.02;
  double least_noise = 0.01, most_noise = 0.02;  // of a point; one value per run
  int least_points = 6, most_points = 10;        // calibration points that every board measures
  Trouble trouble = Trouble::kNone;
  std::uint64_t seed = 1;
};

// Shares of (run, board) pairs whose true value lies in its 90 % interval, and of boards.
struct RecoveryScore {
  double time_offset = 0, power_offset = 0, time_slope = 0, power_slope = 0;
  double half_width = 0;      // mean, of the intervals of the offsets
  double outliers_found = 0;  // share of the odd boards that were identified; 0 without any
  double falsely_named = 0;   // share of the other boards that were reported as odd
  double points_found = 0;    // share of the wrong points that were left out
};

// Boards according to the model that the estimate assumes, with noise and disturbances from the
// seed.
RecoveryScore score_recovery(const RecoveryOptions& options);

struct MergeOptions {
  int boards = 8;
  double offset_deviation = 0.05;  // injected, in time and power; their mean over the boards is 0
  double noise = 0.015;  // injected in addition to that of the sweep, each time a point is measured
  int points = 50;       // that a predictor learns from, at most a third of the sweep
  // number of them that every board measures; each of the others is measured by one board
  int calibration = 8;
  int runs = 10;
  std::string method = "auto";
  std::uint64_t seed = 1;
};

// Median over the runs of the mean absolute error in percent, over the unflagged rows that were not
// learned from, of predictions from these points measured by
struct MergeScore {
  std::string workload, kind;
  int rows = 0, points = 0;
  struct Error {
    double single = 0;       // one board
    double merged = 0;       // several, with their effects removed
    double uncorrected = 0;  // several, as they are
    double ratio() const { return merged / single; }
  };
  Error time, power;
};

// Throws UsageError if the sweep has fewer than 30 unflagged rows.
MergeScore score_merged(const Sweep& sweep, const MergeOptions& options);

}  // namespace ridgewatt::evaluate
