// Scores a twin on measured rows by mean absolute percentage errors.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Mean absolute percentage errors as fractions. The members `trusted_*` exclude flagged rows.
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
  FitScore score;   // with the twin fitted to all workloads
  FitScore unseen;  // With the twin fitted without this workload. 0: not cross-validated.
  std::vector<BatchFit> batches;  // `score` by batch size
};

// Returns the errors of a twin per workload, in order of first appearance.
std::vector<WorkloadFit> score_twin(const Twin& twin, const std::vector<CalibrationRun>& runs);
// Returns the mean of `score` over the workloads, each with equal weight.
FitScore mean_over(const std::vector<WorkloadFit>& fits, FitScore WorkloadFit::*score);
// Returns the errors over all rows of `runs`.
FitScore score_rows(const Twin& twin, const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
