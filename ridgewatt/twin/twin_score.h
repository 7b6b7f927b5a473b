// How far a twin's estimates are from what was measured: mean absolute percentage errors.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

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

// Errors of a twin by workload, in order of appearance.
std::vector<WorkloadFit> score_twin(const Twin& twin, const std::vector<CalibrationRun>& runs);
// The mean of one of their scores; every workload counts the same.
FitScore mean_over(const std::vector<WorkloadFit>& fits, FitScore WorkloadFit::*score);
// Errors over all rows of `runs`.
FitScore score_rows(const Twin& twin, const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
