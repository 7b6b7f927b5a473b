// Runs a search strategy, which finds the best operating point with few profiles.
//
//   SearchSummary summary = tune(space, goal, profiler, {.strategy = "auto"});
//   SearchSummary mine = tune(space, goal, profiler, {.name = "mine", .run = search_mine}, {});
//
// A strategy works on a Search: the points, the results so far and the remaining budget. It has no
// access to a board, sweep or twin.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/strategy_table.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

class AsyncProfiler;

using Strategy = StrategyRow<Search>;

// All strategies, in the order of docs/methods/search.md.
std::span<const Strategy> strategies();
const std::vector<std::string_view>& strategy_names();
// Throws UsageError that lists all names.
const Strategy& find_strategy(std::string_view name);

// Runs the strategy named in the options. Throws UsageError for an unknown name or invalid
// options.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options);
// Runs the given strategy, for example one of your own. The name in the options is ignored.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const Strategy& strategy, StrategyOptions options);
// Runs a strategy with several boards at the same time. A strategy without `in_parallel` in its row
// uses only one of them.
SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const StrategyOptions& options);
SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const Strategy& strategy, StrategyOptions options);

// The built-in strategies. The simple ones are in strategies/baselines.cc.
void search_exhaustive(Search& search);
void search_maxn(Search& search);
void search_presets(Search& search);
void search_random(Search& search);
void search_gmd(Search& search);
void search_ogd(Search& search);
void search_als(Search& search);
void search_thompson(Search& search);
void search_auto(Search& search);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
