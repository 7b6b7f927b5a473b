// The problems for scoring search strategies: those of published methods for power modes, on the
// sweeps of one board.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/evaluate/strategy_scores.h"

namespace ridgewatt::evaluate {

// A sweep as it is and without the rows that the quality check flags.
struct ScoredSweep {
  Sweep all;
  Sweep trusted;
  // the prediction for each row of a twin that was fitted without this workload
  std::optional<Sweep> twin;
};

// A scenario and the strategies that are run on it.
struct SuiteEntry {
  StrategyScenario scenario;
  std::vector<StrategyRun> runs;
  double noise = 0;  // relative, of every measurement
  double outlier_share = 0;
};

// * Training, power budgets 17 to 50 W in 1 W, least time: on the modes that the inference sweeps
//   hold and on all modes, without references and with the other trainings as references.
// * Training, least energy within a slowdown of 2, 5, 10 and 20 % against MAXN.
// * Inference, latency bounds 50 to 150 ms in 25 ms, 30, 60 and 90 requests per second, power 15 to
//   50 W in 5 W, over modes and batches: least latency, and least energy.
// * The same for training with the twin as a reference, if given: alone, and on all modes
//   also together with the other trainings.
// * The main ones again with 5 % noise and 2 % outliers.
// References never include the scored workload, whatever its kind. `presets`: the board's modes.
std::vector<SuiteEntry> make_strategy_suite(const std::vector<ScoredSweep>& trainings,
                                            const std::vector<ScoredSweep>& inferences,
                                            const std::vector<PowerMode>& presets);

// Reads such a sweep, with what a governor ran in set aside.
ScoredSweep read_scored(const std::string& path);
// Gives every training what the twin of `board` says about it, fitted to the other sweeps without
// those of its workload, whatever their kind. UsageError where there are none.
void add_twin_views(const std::string& board, std::vector<ScoredSweep>& trainings,
                    const std::vector<ScoredSweep>& inferences);
// Strategies in place of the suite's: each with each number of profiles and of boards.
struct ChosenRuns {
  std::vector<std::string> strategies = {};
  std::vector<int> profiles = {}, boards = {};
  // UsageError: a strategy that profiles one point at a time has several boards.
  void check() const;
  // Those of an entry; its own where nothing was chosen.
  std::vector<StrategyRun> of(const SuiteEntry& entry) const;
};
// The suite as a question of many outcomes (outcomes.h), and the scores of its outcomes. `options`:
// seeds and seed; the noise is that of each entry. A unit is one search.
std::unique_ptr<Question> strategy_question(std::vector<SuiteEntry> suite,
                                            const StrategyEvaluationOptions& options);
std::vector<StrategyScore> strategy_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes);

}  // namespace ridgewatt::evaluate
