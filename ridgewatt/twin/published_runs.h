// Published average times and powers of single workloads on a board. They test the intervals of a
// twin (error_calibration.h) and are never used in a fit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::twin {

// A training step in mode MAXN with minibatches of 16 samples.
struct PublishedRun {
  std::string_view board;
  std::string_view name;
  std::string_view model;
  int sequence = 0;  // Sequence length. 0: the model has none, or its default length applies.
  double time_ms = 0;
  double power_w = 0;   // 0: not published
  bool loading = true;  // false: the time excludes loading, or there is little to load
  std::string_view source;
};
std::span<const PublishedRun> published_runs();

// Returns published_runs() as calibration runs, each with its board set.
std::vector<CalibrationRun> published_calibration_runs();
// Loads the runs of `specs` for a fit of the twin of `board`. If `board` is the reference board,
// whose twin is scaled to other boards, the published runs are added.
std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs,
                                                  const Board& board);

}  // namespace ridgewatt::twin
