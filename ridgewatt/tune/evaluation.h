// How good a search strategy is: replay sweeps as the board over many problems and seeds, and
// compare what each strategy answers with the measured optimum.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {

// A set of problems on one workload.
struct Scenario {
  std::string name;               // "441-mode grid, no reference"
  std::string workload;           // for the table
  Sweep sweep;                    // replayed; rows that data quality flags are not in it
  std::vector<Sweep> references;  // never the scored workload
  std::vector<Goal> goals;
  // The sweep with its flagged rows, for the second optimum.
  Sweep sweep_with_flagged;
};

struct StrategyRun {
  std::string strategy;
  int profiles = 15;
};

struct EvaluationOptions {
  int seeds = 10;
  double noise = 0;          // relative, added to every measurement
  double outlier_share = 0;  // of measurements off by a factor of 1.3 to 2
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all
};

// Scores of methods/search: one strategy on one scenario.
struct Score {
  std::string scenario, workload, strategy;
  int profiles = 0;          // allowed
  std::size_t problems = 0;  // solvable ones x seeds
  double solved = 0;         // share answered with a point that truly keeps the limits
  Interval solved_interval;  // 95 %, bootstrap over problems
  double violations = 0;     // share answered with a point that breaks a limit
  // Objective over the optimum less 1; 1 (100 %) for a solvable problem without a valid answer.
  double median_penalty = 0, mean_penalty = 0, p90_penalty = 0;
  Interval median_interval, mean_interval;
  double mean_penalty_with_flagged = 0;  // against the optimum with flagged rows
  double median_penalty_with_flagged = 0;
  double profiles_used = 0;   // mean
  double board_time_s = 0;    // mean
  double board_energy_j = 0;  // mean
};

// Deterministic by seed, whatever the number of threads. `progress(done, total)` may be empty.
Score evaluate(const Scenario& scenario, const StrategyRun& run, const EvaluationOptions& options,
               std::shared_ptr<const SurrogatePrior> prior = nullptr);

// What the model-based strategies believe of a scenario before the first profile: structure and
// references.
std::shared_ptr<const SurrogatePrior> make_prior(const Scenario& scenario);

// The sweep's rows at the modes that also occur in `grid`.
Sweep restrict_to_modes(const Sweep& sweep, const Sweep& grid);

}  // namespace ridgewatt
