// Compares a twin with measured sweeps: does it reproduce what the studies found on real boards?
// Flagged rows are neither reference, optimum nor answer.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::evaluate {

// Findings for one workload at one batch. MAXN is the highest mode of its sweep.
struct WorkloadFindings {
  std::string workload;
  int batch = 0;
  // Energy in MAXN and in the measured mode of least energy.
  double maxn_energy_j = 0;  // 0: the row of MAXN is missing or flagged
  double least_energy_j = 0;
  double modelled_maxn_over_least = 0;  // the ratio of these energies in the twin
  // Groups of modes that differ only in the GPU clock. The members are: the number of groups; the
  // number of groups whose measured energy has an interior minimum; and the number of these whose
  // modelled minimum is interior, or within one clock step of the measured minimum.
  int groups = 0;
  int measured_interior = 0;
  int modelled_interior = 0;
  int within_one_step = 0;
  // The answer: the mode of least modelled energy with at most 5 % more modelled time than MAXN. If
  // several modes are within kTwinTie of this energy, the fastest of them.
  bool tuned = false;  // MAXN has a trusted row; otherwise the following values are not set
  // Largest measured saving of a mode at most 5 % slower, as a fraction of MAXN's energy.
  double best_saving = 0;
  double saving = 0;    // of the answer
  double slowdown = 0;  // measured time of answer / of MAXN - 1
  // Whether `saving` is at least 80 % of `best_saving`, or at most 0.5 percentage points less.
  bool saving_holds = false;
  bool slowdown_holds = false;  // `slowdown` is at most 5 % plus 3 points
  std::string bound;            // what dominates the modelled time in MAXN
};

// Returns the findings of each run. `keep_flagged`: uses flagged rows, too.
std::vector<WorkloadFindings> find_findings(const twin::Twin& twin,
                                            const std::vector<twin::CalibrationRun>& runs,
                                            bool keep_flagged = false);
// Returns the findings with interpolation in place of a twin: each row is interpolated from its
// neighbors in its own sweep; a row without neighbors keeps its value. This shows how well local
// interpolation can do on rows with this noise.
std::vector<WorkloadFindings> find_neighbor_findings(const std::vector<twin::CalibrationRun>& runs,
                                                     bool keep_flagged = false);
// Returns the findings of each run, with the twin that was fitted to the other workloads.
std::vector<WorkloadFindings> find_unseen_findings(const twin::CalibrateSummary& summary,
                                                   const std::vector<twin::CalibrationRun>& runs,
                                                   bool keep_flagged = false);

// Counts over all workloads and batches.
struct FindingsCount {
  int cases = 0;  // number of cases with a trusted row of MAXN
  int maxn_is_best = 0;
  int measured_interior = 0;  // groups; see WorkloadFindings
  int modelled_interior = 0;
  int within_one_step = 0;
  int tuned_holds = 0;  // cases in which both saving_holds and slowdown_holds
};
FindingsCount count_findings(const std::vector<WorkloadFindings>& findings);

// Tuning with profiles (tune/verify.h), which are looked up in the trusted rows. The goal is least
// energy with at most 5 % more time than MAXN. The first profile is that of MAXN.
struct VerifiedTuning {
  std::string workload;
  int batch = 0;
  double best_saving = 0;  // largest measured saving, as a fraction of MAXN's energy
  // Answers by number of profiles, including that of MAXN. The first answer is that of the twin
  // without profiles.
  struct Answer {
    double saving = 0, slowdown = 0;  // as measured
    bool saving_holds = false;        // see WorkloadFindings
    bool within_limit = false;        // measured as at most 5 % slower
    // Whether saving and slowdown both hold. Without profiles, the slowdown may be 3 points too
    // high.
    bool holds = false;
  };
  std::vector<Answer> answers;
};
// Tunes each run that has a trusted row of MAXN, with up to `profiles` profiles.
std::vector<VerifiedTuning> find_verified_tuning(const twin::Twin& twin,
                                                 const std::vector<twin::CalibrationRun>& runs,
                                                 int profiles);
// Does the same, each time with the twin that was fitted to the other workloads.
std::vector<VerifiedTuning> find_unseen_verified_tuning(
    const twin::CalibrateSummary& summary, const std::vector<twin::CalibrationRun>& runs,
    int profiles);

struct VerifiedCount {
  int cases = 0, within_limit = 0, saving_holds = 0, holds = 0;
};
// Returns counts by number of profiles, starting at 0.
std::vector<VerifiedCount> count_verified(const std::vector<VerifiedTuning>& tunings);

}  // namespace ridgewatt::evaluate
