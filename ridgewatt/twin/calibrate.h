// Fits a board's twin to sweeps of known workloads: one parameter set for board and framework, by
// robust non-linear least squares with priors.
//
//   CalibrateSummary summary = calibrate(prior_twin(board), runs);
//   std::cout << summary.brief_report();
//   write(board_toml_with_twin(board, twin_table(summary.twin)));
//
// Residuals are ln(modelled / measured), under the soft-L1 loss, so that faulty rows pull little.
// All rows of a workload share one error of the model, so a workload weighs as much as
// `time_observations` independent rows however long its sweep is; what the data does not
// tell, the priors do. Time is fitted first, then power with the modelled time (as it is used), and
// both once more: what loading takes shows in power, and bears on time.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/error_calibration.h"
#include "ridgewatt/twin/twin_fit.h"
#include "ridgewatt/twin/twin_score.h"

namespace ridgewatt::twin {

// A row that the twin cannot explain.
struct CalibrationOutlier {
  std::string workload;
  Observation observation;
  double time_ratio = 1;  // measured / modelled
  double power_ratio = 1;
  bool flagged = false;
};

struct CalibrateSummary {
  Twin twin;
  std::vector<WorkloadFit> workloads;
  FitScore mean;                             // over workloads
  FitScore pooled;                           // over rows
  FitScore unseen;                           // mean over workloads, leave one out
  std::vector<CalibrationOutlier> outliers;  // worst first
  std::vector<std::string> notices;          // what the data cannot tell
  std::vector<Twin> left_out;                // by workload, fitted without it
  std::vector<CoverageRow> coverage;         // of intervals, where it was asked for
  TwinFitReport search;
  std::string brief_report() const;  // one line
};

// Throws InputError on rows that are not finite or are in a wrong unit.
void check_calibration_rows(const Twin& start, const std::vector<CalibrationRun>& runs);
// The same, and on too few modes for a fit without another twin to start from;
// returns notices about knobs that never change.
std::vector<std::string> check_calibration(const Twin& start,
                                           const std::vector<CalibrationRun>& runs);

// Scores `summary.twin`: workloads, mean and pooled errors.
void summarize_scores(const std::vector<CalibrationRun>& runs, CalibrateSummary& summary);

CalibrateSummary calibrate(const Twin& start, const std::vector<CalibrationRun>& runs,
                           const CalibrateOptions& options = {});

}  // namespace ridgewatt::twin
