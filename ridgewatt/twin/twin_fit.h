// Least-squares fit of a twin's parameters to sweeps, with priors. calibrate() (calibrate.h) also
// scores the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

struct CalibrateOptions {
  // Errors of ln(time) and ln(power) above which the loss of a row is linear (soft L1).
  double time_scale = 0.1;
  double power_scale = 0.05;
  // Weight of a workload relative to the priors: the number of independent rows for which it
  // counts.
  double time_observations = 25;
  double power_observations = 15;
  // Maximum number of rows per run in the fit, drawn at random. Scores use all rows.
  int rows_per_run = 500;
  int max_iterations = 40;  // per stage; three times as many for the joint fit of a board
  // Fit again without each workload, to get errors on unseen workloads and intervals.
  bool cross_validate = true;
  bool coverage = false;  // also measure the coverage of intervals on data left out of the fits
  bool fit_power = true;
  std::uint64_t seed = 1;
  // Number of threads. 0: all processors.
  int threads = 0;
  bool quiet = true;  // false: progress on standard error, one step per fit

  void check() const;  // throws UsageError with field, value and constraint
};

// Report on the least-squares iterations.
struct TwinFitReport {
  int iterations = 0;
  bool converged = false;
};

struct TwinFit {
  Twin twin;
  TwinFitReport search;
};

// Fits the parameters and their posterior deviations.
TwinFit fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
                 const CalibrateOptions& options = {});
// Like fit_twin(), without the runs of `workload`. Use it to evaluate the twin on that workload.
// Throws UsageError if no other workload is left.
TwinFit fit_twin_without(const Twin& start, const std::vector<CalibrationRun>& runs,
                         const std::string& workload, const CalibrateOptions& options = {});

}  // namespace ridgewatt::twin
