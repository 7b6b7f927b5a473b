// Scores of search strategies: replays sweeps in place of the board for many problems and seeds,
// and compares the answers with the measured optimum.
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
  std::string workload;           // label for the table
  Sweep sweep;                    // replayed sweep, without rows that the quality check flags
  std::vector<Sweep> references;  // never of the scored workload
  std::vector<tune::Goal> goals;  // one problem per goal
  std::vector<predict::WorkloadGroup> groups = {};  // for the prior; empty: the shipped groups
  std::vector<PowerMode> presets;  // modes of the sweep nearest to the board's presets
  // The sweep with its flagged rows, for a second optimum.
  Sweep sweep_with_flagged;
};

struct StrategyRun {
  std::string strategy;
  int profiles = 15;  // maximum number of profiles
  // Number of simulated boards that profile in parallel; 0: one profile at a time. Above 0 only for
  // strategies with `in_parallel`.
  int boards = 0;
};

struct StrategyEvaluationOptions {
  // Number of seeds. A seed determines the start of `auto`, the draws of `random` and the noise.
  int seeds = 10;
  double near_best = 1;      // see StrategyOptions
  double noise = 0;          // relative noise, added to every measurement
  double outlier_share = 0;  // share of measurements that are wrong by a factor of 1.3 to 2
  std::uint64_t seed = 1;
  // Options of simulated boards. Each search sets number, minibatches and seed.
  tune::SimulationOptions simulation = {};
  tune::InFlightRule in_flight = tune::StrategyOptions().in_flight;
};

// Score of one strategy on one scenario (docs/methods/search.md).
struct StrategyScore {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  static constexpr Interval kUnknownInterval = {kUnknown, kUnknown};
  std::string scenario, workload, strategy;
  int profiles = 0;          // maximum number of profiles
  int boards = 0;            // number of simulated boards; 0: none
  std::size_t problems = 0;  // solvable problems x seeds
  // NaN without problems, as all figures below.
  double solved = kUnknown;  // share of problems whose answer truly meets the limits
  Interval solved_interval = kUnknownInterval;  // 95 %, by bootstrap over problems
  double violations = kUnknown;                 // share of problems whose answer violates a limit
  // Penalty: objective / objective of the optimum - 1. It is 1 if a solvable problem has no valid
  // answer.
  double median_penalty = kUnknown, mean_penalty = kUnknown, p90_penalty = kUnknown;
  Interval median_interval = kUnknownInterval, mean_interval = kUnknownInterval;
  // Relative to the optimum among all rows, flagged ones included.
  double mean_penalty_with_flagged = kUnknown;
  double median_penalty_with_flagged = kUnknown;
  // NaN unless the goal is least energy within a slowdown against MAXN. `median_saving`: saving of
  // the answer / saving of the optimum. `median_payback_minibatches`: number of minibatches after
  // which the saved energy exceeds the energy of the search.
  double median_saving = kUnknown;
  double median_payback_minibatches = kUnknown;
  double profiles_used = kUnknown;  // mean number
  // Share of problems with an answer within tune::kNearBest of the optimum.
  double near_best_share = kUnknown;
  std::vector<StatedProbability> near_best = {};  // of answers that state a probability
  double board_time_s = kUnknown;                 // mean
  double board_energy_j = kUnknown;               // mean
  double wall_clock_s = kUnknown;  // mean simulated time until all results are available
};

// Prepares a scenario for single searches, as units of a question (strategy_suite.h). A search
// answers one problem with one seed. `als` does not use the goal, so that its search answers all
// problems with one seed. Every search starts without observations.
class ScenarioSearches {
 public:
  // `scenario` must outlive this object.
  explicit ScenarioSearches(const StrategyScenario& scenario);
  ~ScenarioSearches();
  std::size_t problems() const;  // number of solvable problems
  // Returns the number of searches of a run.
  std::size_t searches(const StrategyRun& run, int seeds) const;
  // Runs search `index`. The key of an outcome is problem x seeds + seed.
  std::vector<Outcome> search(const StrategyRun& run, const StrategyEvaluationOptions& options,
                              const std::shared_ptr<const tune::SurrogatePrior>& prior,
                              std::size_t index) const;

 private:
  struct Ready;
  std::unique_ptr<const Ready> ready_;
};

// Returns the score of a strategy on a scenario from all outcomes in ascending order of key. The
// caller sets the names. Throws InputError if the outcomes do not cover whole problems.
StrategyScore score_outcomes(const std::vector<std::vector<double>>& outcomes, std::size_t seeds);

// Returns the prior of model-based strategies before the first profile, from the groups of
// workloads and the references.
std::shared_ptr<const tune::SurrogatePrior> make_prior(const StrategyScenario& scenario);

// Returns the rows of `sweep` whose modes also occur in `grid`.
Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid);

}  // namespace ridgewatt::evaluate
