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

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/roofline/estimate.h"
#include "ridgewatt/roofline/twin.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

// One workload at one batch size with what was measured.
struct CalibrationRun {
  std::string workload;  // what is left out as one in cross-validation
  std::shared_ptr<const WorkloadCost> cost;
  RunOptions options;
  std::vector<Observation> observations;
  std::vector<bool> flagged;  // by data quality; empty: none. Flagged rows are not fitted
};

struct CalibrateOptions {
  // Deviations of ln(time) and ln(power) beyond which a row counts linearly (soft L1).
  double time_scale = 0.1;
  double power_scale = 0.05;
  // Weight of a workload against the priors, in independent rows.
  double time_observations = 25;
  double power_observations = 15;
  // Rows of a run that the fit sees at most, drawn at random; scores use all.
  int rows_per_run = 500;
  int max_iterations = 40;
  bool cross_validate = true;  // leave one workload out, each in turn
  bool fit_power = true;
  std::uint64_t seed = 1;
  int threads = 0;
};

// Mean absolute percentage errors as fractions; `trusted_` ones leave flagged rows out.
struct FitScore {
  double time = 0;
  double power = 0;
  double energy = 0;
  double trusted_time = 0;
  double trusted_power = 0;
  double trusted_energy = 0;
};

struct BatchFit {
  int batch = 0;
  std::size_t rows = 0;
  FitScore score;
};

struct WorkloadFit {
  std::string workload;
  std::size_t rows = 0;
  std::size_t flagged = 0;
  FitScore score;                 // of the twin fitted on all workloads
  FitScore unseen;                // of the twin fitted without this one; zero when not validated
  std::vector<BatchFit> batches;  // of `score`
};

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
  int iterations = 0;
  double initial_cost = 0;
  double final_cost = 0;
  bool converged = false;
  std::string brief_report() const;  // one line
};

// Throws InputError on rows that are not finite or are in a wrong unit, and on too few modes;
// returns notices about knobs that never change.
std::vector<std::string> check_calibration(const Twin& start,
                                           const std::vector<CalibrationRun>& runs);

// The fit alone: parameters with their posterior deviations. Used for leave-one-out by evaluations.
Twin fit_twin(const Twin& start, const std::vector<CalibrationRun>& runs,
              const CalibrateOptions& options = {}, CalibrateSummary* summary = nullptr);
// The same without the runs of one workload: what an honest evaluation on that workload uses.
Twin fit_twin_without(const Twin& start, const std::vector<CalibrationRun>& runs,
                      const std::string& workload, const CalibrateOptions& options = {});

// Errors of a twin by workload, in order of appearance.
std::vector<WorkloadFit> score_twin(const Twin& twin, const std::vector<CalibrationRun>& runs);

// Scores `summary.twin`: workloads, mean and pooled errors.
void summarize_scores(const std::vector<CalibrationRun>& runs, CalibrateSummary& summary);

CalibrateSummary calibrate(const Twin& start, const std::vector<CalibrationRun>& runs,
                           const CalibrateOptions& options = {});

}  // namespace ridgewatt
