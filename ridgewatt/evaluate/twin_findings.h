// Does a twin explain what the studies found on the real board? Each check compares the twin with
// measured sweeps; rows that data quality suspects are neither reference, optimum nor answer.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::evaluate {

struct WorkloadFindings {
  std::string workload;
  int batch = 0;
  // MAXN against the measured mode of least energy.
  double maxn_energy_j = 0;  // 0: MAXN's row is missing or suspect
  double least_energy_j = 0;
  double modelled_maxn_over_least = 0;  // the same ratio on the twin
  // Groups of modes that differ in the GPU clock alone: where the measured energy has an interior
  // minimum, whether the modelled one has, and whether it lies within one step of the measured.
  int groups = 0;
  int measured_interior = 0;
  int modelled_interior = 0;
  int within_one_step = 0;
  // Least modelled energy with at most 5 % more modelled time than MAXN, the fastest of those
  // within kTwinTie of it, looked up in the sweep.
  bool tuned = false;
  double best_saving = 0;       // the best that measured rows allow, a fraction of MAXN's energy
  double saving = 0;            // what the twin's answer saves
  double slowdown = 0;          // measured time over MAXN's, less 1
  bool saving_holds = false;    // at least 80 % of the best, or within 0.5 percentage points
  bool slowdown_holds = false;  // at most 5 % and 3 points
  std::string bound;            // what dominates the time at MAXN
};

// `keep_flagged`: as if data quality had suspected no row.
std::vector<WorkloadFindings> find_findings(const twin::Twin& twin,
                                            const std::vector<twin::CalibrationRun>& runs,
                                            bool keep_flagged = false);
// The same with what the neighbors of each row in its own sweep say of it (the row itself where it
// has none) in place of a twin: what local interpolation reaches on rows as rough as these.
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

// Tuning that profiles (tune/verify.h), each point looked up in the trusted rows: least energy with
// at most 5 % more time than MAXN, which is the first profile.
struct VerifiedTuning {
  std::string workload;
  int batch = 0;
  double best_saving = 0;  // the best that measured rows allow, a fraction of MAXN's energy
  // After so many profiles, MAXN's own counted; the first entry, after none, is the twin's answer.
  struct Answer {
    double saving = 0, slowdown = 0;  // as measured
    bool saving_holds = false;        // as in WorkloadFindings
    bool within_limit = false;        // measured to be at most 5 % slower, without a margin
    bool holds = false;               // the saving, and the limit: without a profile to 3 points
  };
  std::vector<Answer> answers;
};
// Cases with a trusted row of MAXN, up to so many profiles.
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
