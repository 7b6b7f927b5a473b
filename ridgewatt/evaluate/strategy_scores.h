// Scores of search strategies: replays sweeps in place of the board over many problems and seeds,
// and compares the answers of each strategy with the measured optimum.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/evaluate/outcomes.h"
#include "ridgewatt/evaluate/reliability.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/simulated_boards.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::evaluate {

// A set of problems for one workload.
struct StrategyScenario {
  std::string name;               // "441-mode grid, no reference"
  std::string workload;           // for the table
  Sweep sweep;                    // replayed; without the rows that the quality check flags
  std::vector<Sweep> references;  // never the scored workload
  std::vector<tune::Goal> goals;
  std::vector<predict::WorkloadGroup> groups = {};  // of the prior; empty: the shipped ones
  std::vector<PowerMode> presets;  // modes of the sweep nearest to the board's presets
  // The sweep including its flagged rows, for the second optimum.
  Sweep sweep_with_flagged;
};

struct StrategyRun {
  std::string strategy;
  int profiles = 15;
  // Simulated boards in parallel; 0: no simulation. For strategies that are `in_parallel`.
  int boards = 0;
};

struct StrategyEvaluationOptions {
  // each changes the start of `auto`, the draws of `random`, and the noise
  int seeds = 10;
  double near_best = 1;      // of StrategyOptions
  double noise = 0;          // relative, added to every measurement
  double outlier_share = 0;  // of measurements with an error by a factor of 1.3 to 2
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all
  // Of simulated boards; number, minibatches and seed are set by the run.
  tune::SimulationOptions simulation = {};
  tune::InFlightRule in_flight = tune::StrategyOptions().in_flight;
};

// Scores of methods/search: one strategy on one scenario.
struct StrategyScore {
  std::string scenario, workload, strategy;
  int profiles = 0;          // budget
  int boards = 0;            // simulated
  std::size_t problems = 0;  // solvable ones x seeds
  double solved = 0;         // share answered with a point that truly meets the limits
  Interval solved_interval;  // 95 %, bootstrap over problems
  double violations = 0;     // share answered with a point that violates a limit
  // Objective over the optimum less 1; 1 (100 %) for a solvable problem without a valid answer.
  double median_penalty = 0, mean_penalty = 0, p90_penalty = 0;
  Interval median_interval, mean_interval;
  double mean_penalty_with_flagged = 0;  // against the optimum with flagged rows
  double median_penalty_with_flagged = 0;
  // If the goal limits the slowdown against MAXN: median share of the optimum's saving against MAXN
  // that the answer reaches, and median number of minibatches after which the saved energy has paid
  // for the search. NaN otherwise.
  double median_saving = std::numeric_limits<double>::quiet_NaN();
  double median_payback_minibatches = std::numeric_limits<double>::quiet_NaN();
  double profiles_used = 0;    // mean
  double near_best_share = 0;  // of problems, answered within tune::kNearBest of the optimum
  std::vector<StatedProbability> near_best = {};  // of the answers that state a probability
  double board_time_s = 0;                        // mean
  double board_energy_j = 0;                      // mean
  double wall_clock_s = 0;  // mean, simulated, until all results are available
};

// Deterministic by seed, regardless of the number of threads. Every problem starts without
// observations; only `als`, which does not use the goal, profiles once per seed and answers all
// goals from that, as intended.
StrategyScore evaluate_strategy(const StrategyScenario& scenario, const StrategyRun& run,
                                const StrategyEvaluationOptions& options,
                                std::shared_ptr<const tune::SurrogatePrior> prior = nullptr);

// A scenario prepared for single searches, for a question of many outcomes (strategy_suite.h). One
// search answers one problem with one seed, or all problems for a strategy that learns a front.
class ScenarioSearches {
 public:
  explicit ScenarioSearches(const StrategyScenario& scenario);
  ~ScenarioSearches();
  std::size_t problems() const;  // number of solvable problems
  std::size_t searches(const StrategyRun& run, int seeds) const;
  // Outcomes by key: problem x seeds + seed.
  std::vector<Outcome> search(const StrategyRun& run, const StrategyEvaluationOptions& options,
                              const std::shared_ptr<const tune::SurrogatePrior>& prior,
                              std::size_t index) const;

 private:
  struct Ready;
  std::unique_ptr<const Ready> ready_;
};

// The score of all outcomes of a strategy on a scenario, by rising key; its names are the caller's.
StrategyScore score_outcomes(const std::vector<std::vector<double>>& outcomes, std::size_t seeds);

// The belief of the model-based strategies about a scenario before the first profile: structure and
// references.
std::shared_ptr<const tune::SurrogatePrior> make_prior(const StrategyScenario& scenario);

// The rows of the sweep with modes that also occur in `grid`.
Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid);

}  // namespace ridgewatt::evaluate
