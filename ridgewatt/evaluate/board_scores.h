// How well the twins of boards tell sweeps that they were not fitted to, and how fast a few points
// of a sweep mend them.
//
//   for (const BoardScore& score : score_boards({parse_sweep_spec("nano.csv,device=nano")}))
//     std::cout << score.board << ' ' << score.given << ' ' << score.time_error << '\n';
//
// The twin that ships is judged as it is, then after some points of the sweep were added
// (twin/board_fit.h); what is given is never judged. Rows that data quality suspects are neither
// given nor judged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

struct BoardScoreOptions {
  std::vector<int> points = {0, 5, 10, 20};  // of the sweep that are given, drawn at random
  int draws = 5;                             // mean over so many
  std::uint64_t seed = 1;
  void check() const;  // UsageError with field, value and constraint
};

struct BoardScore {
  std::string board;
  std::string workload;
  std::string given;      // "published figures", "and 5 points", "and 5 points of each group"
  double rows = 0;        // judged, mean over draws
  double time_error = 0;  // mean absolute, a fraction; of "of each group" not told
  double power_error = 0;
  double time_covered = 0;  // share of rows within their 90 % interval
  double power_covered = 0;
  // Groups of rows that differ in the GPU clock alone: where the modelled clock of least energy is
  // within one step of the measured one, of a published one, and of either.
  double groups = 0;
  double near_measured = 0;
  double near_published = 0;
  double near_either = 0;
  double excess = 0;  // measured energy at the modelled clock over the least, less 1; mean
};

// Every sweep names its board (`device=`); UsageError where one does not.
std::vector<BoardScore> score_boards(const std::vector<twin::SweepSpec>& sweeps,
                                     const BoardScoreOptions& options = {});

}  // namespace ridgewatt::evaluate
