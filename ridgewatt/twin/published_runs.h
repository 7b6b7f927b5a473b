// What papers report about single workloads on a board: aggregates, not sweeps. They judge the
// intervals of a twin (error_calibration.h) and are never fitted.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::twin {

// A training step at MAXN with minibatches of 16.
struct PublishedRun {
  std::string_view board;
  std::string_view name;
  std::string_view model;
  int sequence = 0;  // 0: the model has none, or its own
  double time_ms = 0;
  double power_w = 0;   // 0: not published
  bool loading = true;  // false: the time is that of computing, or there is little to load
  std::string_view source;
};
std::span<const PublishedRun> published_runs();

// The same as runs on their boards.
std::vector<CalibrationRun> published_calibration_runs();
// Runs of sweeps for the fit of a board. What is published joins them where other boards' twins are
// scaled from this one.
std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs,
                                                  const Board& board);

}  // namespace ridgewatt::twin
