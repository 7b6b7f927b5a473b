// Scores the strategies that search for a plan. For every pair of workloads and a grid of problems,
// the result of each strategy with its number of profiles is compared with the exact optimum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/outcomes.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::evaluate {

// Every combination of these values is a problem. The defaults are those of Fulcrum's evaluation.
struct ProblemGrid {
  double least_power_w = 10, most_power_w = 50, power_step_w = 1;
  double least_latency_s = 0.5, most_latency_s = 2, latency_step_s = 0.1;
  double least_rate_hz = 30, most_rate_hz = 120, rate_step_hz = 5;
  schedule::Bound bound = schedule::Bound::kStrict;

  std::vector<schedule::PlanProblem> problems() const;  // sorted by rate, then latency, then power
};

struct PairOfSweeps {
  Sweep training, inference;  // without rows that the quality check flags
};

struct PlanStrategyRun {
  std::string strategy;
  int profiles = 15;  // maximum number of profiles
};

struct ScheduleEvaluationOptions {
  ProblemGrid grid;
  std::vector<PlanStrategyRun> strategies;
  // Number of solvable problems per pair on which each strategy is tried, drawn at random without
  // replacement and the same for all strategies. 0: all.
  std::size_t problems_per_pair = 300;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all hardware threads
};

struct ScheduleScore {
  std::string training, inference, strategy;  // "all" in totals
  int profiles = 0;
  std::size_t problems = 0;  // number of problems in the grid
  std::size_t solvable = 0;  // number of problems with a feasible plan
  std::size_t tried = 0;     // number of problems on which the strategy was tried
  double solved = 0;         // share of tried problems that it solved
  // The loss of a problem is 1 minus the training throughput divided by that of the optimum. It is
  // defined for tried problems whose optimum includes training. mean_loss, median_loss and p90_loss
  // are over solved problems; in mean_loss_of_all, an unsolved problem has a loss of 1.
  double mean_loss = 0, median_loss = 0, p90_loss = 0, mean_loss_of_all = 0;
  // Loss of the total throughput over the same problems as mean_loss_of_all. An unsolved problem
  // adds no throughput.
  double total_loss = 0;
  Interval mean_loss_interval;  // 95 %, by bootstrap over problems
  double profiles_used = 0;     // mean per search
  double seconds = 0;           // total computing time of all searches
};

// Returns the evaluation as a Question (outcomes.h). A unit is one problem or, for `als` and `nn`,
// one search with all problems that it answers. `als` searches once for each pair and rate, like
// Fulcrum. `nn` learns three times per pair, each time for a third of the rates, and uses the last
// profile of each problem to verify the answer. The result depends only on the seed.
std::unique_ptr<Question> schedule_question(const std::vector<PairOfSweeps>& pairs,
                                            const ScheduleEvaluationOptions& options);
// Returns scores by pair and strategy, then totals over pairs.
std::vector<ScheduleScore> schedule_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes);

// Parses "NAME:PROFILES" or "NAME". Throws UsageError.
PlanStrategyRun parse_plan_run(const std::string& text);
// Reads all pairs of the files, with the modes that occur in every file. Throws InputError if there
// is no such mode.
std::vector<PairOfSweeps> read_pairs(const std::vector<std::string>& trainings,
                                     const std::vector<std::string>& inferences);
// common_modes() returns the modes that occur in every sweep; at_modes() returns the rows of
// `sweep` with these modes.
std::vector<PowerMode> common_modes(const std::vector<Sweep>& sweeps);
Sweep at_modes(const Sweep& sweep, const std::vector<PowerMode>& modes);

}  // namespace ridgewatt::evaluate
