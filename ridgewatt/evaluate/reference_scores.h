// Reproduces PowerTrain's table of references: predicts each workload with a network that was
// trained on the sweep of each other workload. Also scores baselines that need no prediction.
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
  int modes = 50;           // number of random modes of the new workload that are profiled
  int runs = 10;            // random choices of these modes
  int reference_modes = 0;  // random modes of the reference's sweep; 0: all
  int reference_rows = 8;   // training rows for each mode of the reference
  predict::PowerBudgets budgets;
  std::uint64_t seed = 1;
  int threads = 0;    // 0: all hardware threads
  bool quiet = true;  // false: prints progress on standard error
};

// Medians over the runs. In each power budget, the answer is the fastest mode within the budget.
struct ReferenceScore {
  std::string reference;  // empty: a baseline without reference
  std::string workload;
  std::string method;
  int modes = 0;  // number of profiled modes of the workload
  int runs = 1;
  double time_mape_pct = 0, power_mape_pct = 0;  // NaN for a baseline
  double penalty_pct = 0;                        // time / time of the optimum - 1
  double over_by_1w_pct = 0;  // share of answers above the budget by more than 1 W
};

// Returns scores by workload: `powertrain` with each other sweep as reference; `nn` trained on all
// modes of the workload (the diagonal of the published table); and three baselines: the fastest of
// random profiled modes, MAXN in every case, and the preset whose name states a power within the
// budget. Throws UsageError for fewer than two sweeps.
std::vector<ReferenceScore> score_references(const std::vector<Sweep>& sweeps, const Board& board,
                                             const ReferenceOptions& options);

}  // namespace ridgewatt::evaluate
