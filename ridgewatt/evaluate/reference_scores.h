// PowerTrain's table of references: each workload predicted from a network that was trained on the
// sweep of each, with the baselines that need no prediction.
//
//   for (const ReferenceScore& s : score_references(sweeps, load_board("agx-orin"), {}))
//     std::cout << s.reference << " to " << s.workload << ": " << s.time_mape_pct << '\n';
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::evaluate {

struct ReferenceOptions {
  int modes = 50;           // profiled of the new workload, at random
  int runs = 10;            // draws of them
  int reference_modes = 0;  // of the reference's sweep, at random; 0: all
  int reference_rows = 8;   // training rows of each of its modes
  predict::PowerBudgets budgets;
  std::uint64_t seed = 1;
  int threads = 0;
  bool quiet = true;  // false: progress on standard error
};

// Medians over the runs; the answers are "the fastest mode within a budget of power".
struct ReferenceScore {
  std::string reference;  // empty: a baseline without one
  std::string workload;
  std::string method;
  int modes = 0;  // that were profiled of the workload
  int runs = 1;
  double time_mape_pct = 0, power_mape_pct = 0;  // NaN: it predicts nothing
  double penalty_pct = 0;                        // time over the optimum
  double over_by_1w_pct = 0;                     // answers more than 1 W over their budget
};

// By workload: `powertrain` from each of the other sweeps; `nn` on all its own modes, which is the
// diagonal of the published table; the fastest of random modes that were profiled; always MAXN; and
// the vendor's preset whose name promises to keep the budget. UsageError for fewer than two sweeps.
std::vector<ReferenceScore> score_references(const std::vector<Sweep>& sweeps, const Board& board,
                                             const ReferenceOptions& options);

}  // namespace ridgewatt::evaluate
