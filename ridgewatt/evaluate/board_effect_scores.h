// Scores of what boards of a kind differ by (campaign/board_effects.h): are known differences found
// within their intervals, and is a sweep that several boards measured as good as one board's?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

// What is wrong with simulated boards beside noise.
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
  double least_noise = 0.01, most_noise = 0.02;  // of a point; each run has one of these
  int least_points = 6, most_points = 10;        // calibration points that every board measures
  Trouble trouble = Trouble::kNone;
  std::uint64_t seed = 1;
};

// Shares of (run, board) pairs whose true value lies in its 90 % interval, and of boards.
struct RecoveryScore {
  double time_offset = 0, power_offset = 0, time_slope = 0, power_slope = 0;
  double half_width = 0;      // mean, of the intervals of the offsets
  double outliers_found = 0;  // share of the odd boards that were named; 0 without any
  double falsely_named = 0;   // share of the other boards
  double points_found = 0;    // share of the wrong points that were set aside
};

// Boards made by the model that the estimate assumes, noise and trouble from the seed.
RecoveryScore score_recovery(const RecoveryOptions& options);

struct MergeOptions {
  int boards = 8;
  double offset_deviation =
      0.05;              // injected, in time and in power; their mean over the boards is 0
  double noise = 0.015;  // injected beside the sweep's own, each time a point is measured
  int points = 50;       // that a predictor learns from, at most a third of the sweep
  int calibration = 8;   // of them, that every board measures; the others one board each
  int runs = 10;
  std::string method = "auto";
  std::uint64_t seed = 1;
};

// Median over the runs of the mean absolute error in percent, over the rows that were not learned
// from and are not flagged, of what is predicted from these points measured by
struct MergeScore {
  std::string workload, kind;
  int rows = 0, points = 0;
  struct Error {
    double single = 0;       // one board
    double merged = 0;       // several, their effects taken out
    double uncorrected = 0;  // several, as they are
    double ratio() const { return merged / single; }
  };
  Error time, power;
};

// Throws UsageError when the sweep has less than 30 rows that are not flagged.
MergeScore score_merged(const Sweep& sweep, const MergeOptions& options);

}  // namespace ridgewatt::evaluate
