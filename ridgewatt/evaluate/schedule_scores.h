// Scores of the strategies that find a plan: over every pair of workloads and a grid of problems,
// the exact optimum of each problem, and the result of each strategy with its budget of profiles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/outcomes.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::evaluate {

// Problems: every combination. The defaults are those of Fulcrum's evaluation.
struct ProblemGrid {
  double least_power_w = 10, most_power_w = 50, power_step_w = 1;
  double least_latency_s = 0.5, most_latency_s = 2, latency_step_s = 0.1;
  double least_rate_hz = 30, most_rate_hz = 120, rate_step_hz = 5;
  schedule::Bound bound = schedule::Bound::kStrict;

  std::vector<schedule::PlanProblem> problems() const;  // by rate, then latency, then power
};

struct PairOfSweeps {
  Sweep training, inference;  // without the rows that the quality check flags
};

struct PlanStrategyRun {
  std::string strategy;
  int profiles = 15;
};

struct ScheduleEvaluationOptions {
  ProblemGrid grid;
  std::vector<PlanStrategyRun> strategies;
  // Number of solvable problems of a pair that each strategy is tried on, drawn at random without
  // replacement, the same for all strategies; 0: all of them.
  std::size_t problems_per_pair = 300;
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct ScheduleScore {
  std::string training, inference, strategy;  // "all" for the totals
  int profiles = 0;
  std::size_t problems = 0;  // of the grid
  std::size_t solvable = 0;
  std::size_t tried = 0;  // solvable problems that the strategy was tried on
  double solved = 0;      // share of those
  // Shortfall of training throughput from the optimum, as a share of it, over the tried problems
  // whose optimum trains at all. `mean_loss` and `median_loss`: of the solved problems;
  // `mean_loss_of_all`: an unsolved problem counts as 1.
  double mean_loss = 0, median_loss = 0, p90_loss = 0, mean_loss_of_all = 0;
  // Of the sum of throughputs over all of them (0 for an unsolved problem).
  double total_loss = 0;
  Interval mean_loss_interval;  // 95 %, bootstrap over problems
  double profiles_used = 0;     // mean per search
  double seconds = 0;           // of all searches, one after the other
};

// Scores by pair and strategy, then totals over pairs. `als` searches once for each pair and rate
// and answers all power budgets and latency bounds of that rate from its observations, like
// Fulcrum; `nn` learns three times per pair, each for a third of the rates, and verifies each
// answer with its last profile; every other strategy starts again with every problem. Deterministic
// by seed, regardless of the number of threads.
std::vector<ScheduleScore> evaluate_schedules(const std::vector<PairOfSweeps>& pairs,
                                              const ScheduleEvaluationOptions& options);

// The same as a question of many outcomes (outcomes.h), and the scores of its outcomes. A unit is
// one problem or, for `als` and `nn`, one search with all problems that it answers.
std::unique_ptr<Question> schedule_question(const std::vector<PairOfSweeps>& pairs,
                                            const ScheduleEvaluationOptions& options);
std::vector<ScheduleScore> schedule_scores(const std::vector<OutcomeGroup>& groups,
                                           const Outcomes& outcomes);

// "NAME:PROFILES" or "NAME". UsageError.
PlanStrategyRun parse_plan_run(const std::string& text);
// Every pair of the files, at the modes that all sweeps have. InputError without such modes.
std::vector<PairOfSweeps> read_pairs(const std::vector<std::string>& trainings,
                                     const std::vector<std::string>& inferences);
// The modes that occur in every sweep; the rows of `sweep` with these modes.
std::vector<PowerMode> common_modes(const std::vector<Sweep>& sweeps);
Sweep at_modes(const Sweep& sweep, const std::vector<PowerMode>& modes);

}  // namespace ridgewatt::evaluate
