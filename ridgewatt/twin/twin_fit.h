// The least squares of calibration: a twin's parameters from sweeps, under priors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

struct CalibrateOptions {
  // Deviations of ln(time) and ln(power) beyond which a row counts linearly (soft L1).
  double time_scale = 0.1;
  double power_scale = 0.05;
  // Weight of a workload against the priors, in independent rows.
  double time_observations = 25;
  double power_observations = 15;
  // Rows of a run that the fit sees at most, drawn at random; scores use all.
  int rows_per_run = 500;
  int max_iterations = 40;     // of a stage; of the joint fit of a board three times as many
  bool cross_validate = true;  // leave workloads out, for errors on unseen ones and intervals
  bool coverage = false;       // and judge those intervals on what neither was found from
  bool fit_power = true;
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = true;  // else progress on standard error, one step per fit

  void check() const;  // UsageError with field, value and constraint
};

// How the search for the parameters went.
struct TwinFitReport {
  int iterations = 0;
  double initial_cost = 0;
  double final_cost = 0;
  bool converged = false;
};

struct TwinFit {
  Twin twin;
  TwinFitReport search;
};

// The fit alone: parameters with their posterior deviations. Used for leave-one-out by evaluations.
TwinFit fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
                 const CalibrateOptions& options = {});
// The same without the runs of one workload: what an honest evaluation on that workload uses.
TwinFit fit_twin_without(const Twin& start, const std::vector<CalibrationRun>& runs,
                         const std::string& workload, const CalibrateOptions& options = {});

}  // namespace ridgewatt::twin
