// Fits the twin of a board that has few measurements. Computes the posterior of the twin's
// parameters from a prior twin, usually scaled from a related board (carry.h), and from all
// available evidence: single figures (board_evidence.h), microbenchmarks and rows of sweeps.
//
//   const Twin prior = carry_twin(load_twin(xavier), xavier, xavier_nx);
//   const BoardFit fit = fit_board(prior, published_evidence("xavier-nx"), {});
//   fit.twin.log_sd[...];  // equal to the prior's where no evidence depends on the parameter
//
// The logarithms of all parameters have normal priors with the correlations of `prior`. Residuals
// are divided by their standard errors and enter with the soft-L1 loss, so that one wrong figure
// has little influence.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/board_evidence.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/microbench_evidence.h"
#include "ridgewatt/twin/twin_fit.h"
#include "ridgewatt/twin/twin_score.h"

namespace ridgewatt::twin {

struct BoardFit {
  Twin twin;
  // A figure, with its predictions by the prior twin and by the fitted twin.
  struct Row {
    Evidence evidence;
    double prior = 0;
    double fitted = 0;
  };
  std::vector<Row> rows;
  std::vector<WorkloadFit> workloads;  // errors on rows of sweeps
  TwinFitReport search;
};

// `runs` are rows of sweeps. One run weighs at most as much as CalibrateOptions::time_observations
// (for time) and power_observations (for power) independent rows. `parameters` are parameters that
// microbenchmarks measured directly. Throws Error if no valid posterior is found, and UsageError if
// a parameter of `prior` has no deviation.
BoardFit fit_board(const Twin& prior, const std::vector<Evidence>& evidence,
                   const std::vector<CalibrationRun>& runs, const CalibrateOptions& options = {},
                   const std::vector<ParameterObservation>& parameters = {});

}  // namespace ridgewatt::twin
