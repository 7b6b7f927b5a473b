// Scores of board twins on sweeps to which they were not fitted, before and after some points of
// these sweeps are added to the fit.
//
//   for (const BoardScore& score : score_boards({parse_sweep_spec("nano.csv,device=nano")}))
//     std::cout << score.board << ' ' << score.given << ' ' << score.time_error << '\n';
//
// The shipped twin is scored first, and then again after points of the sweep were added
// (twin/board_fit.h). Added points are not scored. Rows that the quality check flags are neither
// added nor scored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

struct BoardScoreOptions {
  // Numbers of points to add, drawn at random; 0: the shipped twin.
  std::vector<int> points = {0, 5, 10, 20};
  int draws = 5;  // random draws that are averaged
  std::uint64_t seed = 1;
  void check() const;  // throws UsageError with field, value and constraint
};

struct BoardScore {
  std::string board;
  std::string workload;
  // Data of the fit: "published figures", "and 5 points", "and 5 points of each group".
  std::string given;
  double rows = 0;        // number of scored rows, mean over draws
  double time_error = 0;  // mean absolute error as a fraction; 0 for "of each group"
  double power_error = 0;
  double time_covered = 0;  // share of rows in their 90 % interval
  double power_covered = 0;
  // A group is a set of rows that differ only in the GPU clock. The answer is the modelled clock of
  // least energy; for "of each group", it is the best of five measured clocks around this clock.
  // The members near_* count the groups in which the answer is at most one clock step from the
  // measured clock of least energy, from the published one, or from either of them.
  double groups = 0;
  double near_measured = 0;
  double near_published = 0;
  double near_either = 0;
  // Measured energy at the answer divided by the lowest measured energy, minus 1; mean over groups.
  double excess = 0;
};

// Throws UsageError if a sweep does not name its board (`device=`) or an option is out of range.
std::vector<BoardScore> score_boards(const std::vector<twin::SweepSpec>& sweeps,
                                     const BoardScoreOptions& options = {});

}  // namespace ridgewatt::evaluate
