// Checks whether a twin reproduces the findings of the studies on the real board. Each check
// compares the twin with measured sweeps; flagged rows are neither reference, optimum nor answer.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::evaluate {

struct WorkloadFindings {
  std::string workload;
  int batch = 0;
  // MAXN compared with the measured mode of least energy.
  double maxn_energy_j = 0;  // 0: the row of MAXN is missing or flagged
  double least_energy_j = 0;
  double modelled_maxn_over_least = 0;  // the same ratio for the twin
  // Groups of modes that differ only in the GPU clock: whether the measured energy has an interior
  // minimum, whether the modelled one has, and whether it lies within one step of the measured one.
  int groups = 0;
  int measured_interior = 0;
  int modelled_interior = 0;
  int within_one_step = 0;
  // The lowest modelled energy with at most 5 % more modelled time than MAXN, the fastest of those
  // within kTwinTie of it, looked up in the sweep.
  bool tuned = false;
  double best_saving = 0;       // the best of the measured rows, a fraction of MAXN's energy
  double saving = 0;            // of the twin's answer
  double slowdown = 0;          // measured time over MAXN's, less 1
  bool saving_holds = false;    // at least 80 % of the best, or within 0.5 percentage points
  bool slowdown_holds = false;  // at most 5 % and 3 points
  std::string bound;            // what dominates the time at MAXN
};

// `keep_flagged`: as if no row were flagged.
std::vector<WorkloadFindings> find_findings(const twin::Twin& twin,
                                            const std::vector<twin::CalibrationRun>& runs,
                                            bool keep_flagged = false);
// The same with the interpolation of each row from its neighbors in its own sweep (the row itself
// if it has none) in place of a twin: the limit of local interpolation on rows with this noise.
std::vector<WorkloadFindings> find_neighbor_findings(const std::vector<twin::CalibrationRun>& runs,
                                                     bool keep_flagged = false);
// The same, each workload with the twin that was fitted without it.
std::vector<WorkloadFindings> find_unseen_findings(const twin::CalibrateSummary& summary,
                                                   const std::vector<twin::CalibrationRun>& runs,
                                                   bool keep_flagged = false);

// Findings of all workloads and batches, counted.
struct FindingsCount {
  int cases = 0;  // with a trusted MAXN row
  int maxn_is_best = 0;
  int measured_interior = 0;  // groups
  int modelled_interior = 0;
  int within_one_step = 0;
  int tuned_holds = 0;  // of `cases`: both the saving and the slowdown
};
FindingsCount count_findings(const std::vector<WorkloadFindings>& findings);

// Tuning with profiles (tune/verify.h), each point looked up in the trusted rows: least energy with
// at most 5 % more time than MAXN, which is the first profile.
struct VerifiedTuning {
  std::string workload;
  int batch = 0;
  double best_saving = 0;  // the best of the measured rows, a fraction of MAXN's energy
  // One per number of profiles, including that of MAXN; the first entry, after none, is the twin's
  // answer.
  struct Answer {
    double saving = 0, slowdown = 0;  // as measured
    bool saving_holds = false;        // as in WorkloadFindings
    bool within_limit = false;        // measured as at most 5 % slower, without a margin
    // the saving, and the limit: without a profile within 3 points
    bool holds = false;
  };
  std::vector<Answer> answers;
};
// Cases with a trusted row of MAXN, with up to `profiles` profiles.
std::vector<VerifiedTuning> find_verified_tuning(const twin::Twin& twin,
                                                 const std::vector<twin::CalibrationRun>& runs,
                                                 int profiles);
// The same, each workload with the twin that was fitted without it.
std::vector<VerifiedTuning> find_unseen_verified_tuning(
    const twin::CalibrateSummary& summary, const std::vector<twin::CalibrationRun>& runs,
    int profiles);

struct VerifiedCount {
  int cases = 0, within_limit = 0, saving_holds = 0, holds = 0;
};
// By number of profiles, from 0.
std::vector<VerifiedCount> count_verified(const std::vector<VerifiedTuning>& tunings);

}  // namespace ridgewatt::evaluate
