// Scores of the twins of boards on sweeps that they were not fitted to, and the improvement from a
// few points of a sweep.
//
//   for (const BoardScore& score : score_boards({parse_sweep_spec("nano.csv,device=nano")}))
//     std::cout << score.board << ' ' << score.given << ' ' << score.time_error << '\n';
//
// The shipped twin is scored as it is, then after some points of the sweep were added
// (twin/board_fit.h); these points are not scored. Rows that the quality check flags are neither
// added nor scored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

struct BoardScoreOptions {
  // number of points of the sweep that are given, drawn at random
  std::vector<int> points = {0, 5, 10, 20};
  int draws = 5;  // number of draws that are averaged
  std::uint64_t seed = 1;
  void check() const;  // UsageError with field, value and constraint
};

struct BoardScore {
  std::string board;
  std::string workload;
  std::string given;      // "published figures", "and 5 points", "and 5 points of each group"
  double rows = 0;        // scored, mean over draws
  double time_error = 0;  // mean absolute, a fraction; not available for "of each group"
  double power_error = 0;
  double time_covered = 0;  // share of rows within their 90 % interval
  double power_covered = 0;
  // Groups of rows that differ only in the GPU clock: how often the modelled clock of least energy
  // is within one step of the measured one, of a published one, and of either.
  double groups = 0;
  double near_measured = 0;
  double near_published = 0;
  double near_either = 0;
  double excess = 0;  // measured energy at the modelled clock over the lowest, less 1; mean
};

// Every sweep must name its board (`device=`); throws UsageError otherwise.
std::vector<BoardScore> score_boards(const std::vector<twin::SweepSpec>& sweeps,
                                     const BoardScoreOptions& options = {});

}  // namespace ridgewatt::evaluate
