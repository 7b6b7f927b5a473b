// One way from any evidence to a board's twin: the posterior of its parameters given what the twin
// of a relative says (carry.h), single figures (board_evidence.h), microbenchmarks and rows of
// sweeps, all at once.
//
//   const Twin prior = carry_twin(load_twin(xavier), xavier, xavier_nx);
//   const BoardFit fit = fit_board(prior, published_evidence("xavier-nx"), {});
//   fit.twin.log_sd[...];  // where it stays at the prior's, no row depends on the parameter
//
// Normal priors on the logarithms of all parameters, with the relative's correlations; residuals in
// units of their errors under the soft-L1 loss, so that one wrong figure pulls little.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/board_evidence.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/microbench_evidence.h"
#include "ridgewatt/twin/twin_fit.h"

namespace ridgewatt::twin {

struct BoardFit {
  Twin twin;
  // Figures as the prior, and as the fitted twin have them.
  struct Row {
    Evidence evidence;
    double prior = 0;
    double fitted = 0;
  };
  std::vector<Row> rows;
  TwinFitReport search;
};

// `runs`: rows of sweeps; a run weighs at most CalibrateOptions::time_observations rows (and
// power_observations). `parameters`: those that microbenchmarks measured. Error when the posterior
// is not one.
BoardFit fit_board(const Twin& prior, const std::vector<Evidence>& evidence,
                   const std::vector<CalibrationRun>& runs, const CalibrateOptions& options = {},
                   const std::vector<ParameterObservation>& parameters = {});

}  // namespace ridgewatt::twin
