// The problems for scoring search strategies. They are taken from publications about power modes
// and use sweeps of one board.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/evaluate/strategy_scores.h"

namespace ridgewatt::evaluate {

// A sweep with and without the rows that the quality check flags.
struct ScoredSweep {
  Sweep all;
  Sweep trusted;
  // Predictions for each row by a twin fitted without this workload. Absent: not used.
  std::optional<Sweep> twin;
};

// A scenario and the strategies that are tried on it.
struct SuiteEntry {
  StrategyScenario scenario;
  std::vector<StrategyRun> runs;
  double noise = 0;          // relative noise of every measurement
  double outlier_share = 0;  // see StrategyEvaluationOptions
};

// Returns these scenarios:
// * Training: least time within power budgets from 17 to 50 W in steps of 1 W, on the modes of the
//   first inference sweep or on all modes, with or without the other trainings as references.
// * Training: least energy within a slowdown of 2, 5, 10 and 20 % against MAXN.
// * Inference: least latency, and least energy, over modes and batches. Latency bounds from 50 to
//   150 ms in steps of 25 ms, power budgets from 15 to 50 W in steps of 5 W, and 30, 60 and 90
//   requests per second.
// * The first two scenarios with the twin's predictions as a reference, if available. For all
//   modes, also with the other trainings as additional references.
// * Some of these scenarios again with 5 % noise and 2 % outliers.
// References never include the scored network, neither its inference nor its training. `presets`:
// the modes of the board's presets.
std::vector<SuiteEntry> make_strategy_suite(const std::vector<ScoredSweep>& trainings,
                                            const std::vector<ScoredSweep>& inferences,
                                            const std::vector<PowerMode>& presets);

// Reads a sweep. Rows with a governor are left out.
ScoredSweep read_scored(const std::string& path);
// Sets `twin` of every training, from the twin of `board` fitted to all sweeps of other workloads.
// Throws UsageError if there are none.
void add_twin_views(const std::string& board, std::vector<ScoredSweep>& trainings,
                    const std::vector<ScoredSweep>& inferences);
// Replaces the strategies of the suite. Each strategy is tried with each number of profiles and of
// boards. An empty list stands for its default.
struct ChosenRuns {
  std::vector<std::string> strategies = {};
  std::vector<int> profiles = {}, boards = {};
  // Throws UsageError if `boards` is set and a strategy can only profile one point at a time.
  void check() const;
  // Returns the chosen runs, or the runs of the entry if nothing was chosen.
  std::vector<StrategyRun> of(const SuiteEntry& entry) const;
};
// The parameters of a suite.
struct SuiteQuestion {
  std::vector<std::string> training = {}, inference = {};  // sweep files
  std::string board = "agx-orin";                          // board of presets and twin
  std::string only = {};    // only scenarios whose name or workload contains this text
  std::string groups = {};  // file of workload groups; empty: none
  bool twin = false;        // use the twin's predictions as references
  ChosenRuns chosen = {};
};
// Throws UsageError if there are no sweeps or no scenarios.
std::vector<SuiteEntry> asked_suite(const SuiteQuestion& question);
// The suite as a Question (outcomes.h), and the scores from its outcomes. A unit is one search.
// Noise and outliers come from each entry, not from `options`.
std::unique_ptr<Question> strategy_question(std::vector<SuiteEntry> suite,
                                            const StrategyEvaluationOptions& options);
std::vector<StrategyScore> strategy_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes);

}  // namespace ridgewatt::evaluate
