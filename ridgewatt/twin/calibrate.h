// Fits a board's twin to sweeps of known workloads. One set of parameters, for the board and its
// framework, is fitted by robust non-linear least squares with priors.
//
//   CalibrateSummary summary = calibrate(prior_twin(board), runs);
//   std::cout << summary.brief_report();
//   write(board_toml_with_twin(board, twin_table(summary.twin)));
//
// Residuals are ln(modelled / measured) with the soft-L1 loss, so that faulty rows have little
// influence. All rows of a workload share one model error. The weight of a workload is therefore
// that of `time_observations` independent rows, whatever the length of its sweep. Parameters that
// the data does not determine stay at their priors. The time is fitted, then the power with the
// modelled time, and this is repeated, because the cost of data loading affects the time but is
// determined mostly by the power.
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
  bool flagged = false;  // the data-quality check suspects the row
};

struct CalibrateSummary {
  Twin twin;
  std::vector<WorkloadFit> workloads;
  FitScore mean;    // average over the workloads
  FitScore pooled;  // average over all rows
  FitScore unseen;  // average over the workloads, each with the twin fitted without it
  std::vector<CalibrationOutlier> outliers;  // worst first
  std::vector<std::string> notices;          // parameters or knobs that the data does not determine
  std::vector<Twin> left_out;                // one twin per workload, fitted without that workload
  // Coverage of the 90 % intervals. Empty unless CalibrateOptions::coverage is set.
  std::vector<CoverageRow> coverage;
  TwinFitReport search;
  std::string brief_report() const;
};

// Returns "2 workloads, time 5.5 %, power 3.2 % mean error", preceded by the status of the twin
// unless it is kFitted.
std::string mean_error_text(const Twin& twin, const std::vector<WorkloadFit>& workloads);

// Throws InputError if time or power of a row is not a positive number, or is implausible, for
// example because its unit is wrong.
void check_calibration_rows(const Twin& start, const std::vector<CalibrationRun>& runs);
// Does the same checks. Also throws InputError if the rows cover too few power modes and `start` is
// not a fitted twin. Returns remarks about knobs that have one value in all rows.
std::vector<std::string> check_calibration(const Twin& start,
                                           const std::vector<CalibrationRun>& runs);

// Computes the errors of `summary.twin` per workload, their mean, and the errors over all rows.
void summarize_scores(const std::vector<CalibrationRun>& runs, CalibrateSummary& summary);

// Throws UsageError if `runs` is empty or an option is out of range, and InputError like
// check_calibration().
CalibrateSummary calibrate(const Twin& start, const std::vector<CalibrationRun>& runs,
                           const CalibrateOptions& options = {});

}  // namespace ridgewatt::twin
