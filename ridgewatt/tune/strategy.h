// How to look for the best operating point while profiling few: every strategy behind one call.
//
//   SearchSummary summary = tune(space, goal, profiler, {.strategy = "auto"});
//
// Strategies see the search space and a Profiler, never a board, a sweep or a twin.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt {

struct StrategyOptions {
  std::string strategy = "auto";  // one of strategy_names()
  SearchBudget budget;
  std::uint64_t seed = 1;
  std::vector<PowerMode> presets;  // the board's own modes, for `presets`
  // Observations of the same workload from earlier searches: answered from first. `als` and `auto`.
  std::vector<Observation> known;
  // What the model-based strategies believe before the first profile; made from the space when
  // empty. Share one between searches of the same space: it is the costly part.
  std::shared_ptr<const SurrogatePrior> prior;
  // `auto` stops when the best untried point promises less than this relative gain.
  double min_gain = 0;
  // Standard deviation of a measurement, relative; answers are distrusted accordingly
  // (tune/answer.h).
  double noise = 0.01;
};

// In the order of docs/search.md.
const std::vector<std::string_view>& strategy_names();
// Throws UsageError for an unknown strategy or options that make no sense.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options);

// The strategies themselves, one file each. Each profiles through `search`; the answer is the best
// feasible observation.
void search_exhaustive(Search& search);
void search_maxn(Search& search);
void search_presets(Search& search, const std::vector<PowerMode>& presets);
void search_random(Search& search, std::uint64_t seed);
void search_gmd(Search& search);
void search_ogd(Search& search);
void search_als(Search& search, const SurrogatePrior& prior, double noise, std::uint64_t seed);
void search_thompson(Search& search, const SurrogatePrior& prior, double noise, std::uint64_t seed);
void search_auto(Search& search, const SurrogatePrior& prior, double noise, double min_gain,
                 std::uint64_t seed);

}  // namespace ridgewatt
