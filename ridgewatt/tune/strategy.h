// Runs a search strategy: finds the best operating point with few profiles.
//
//   SearchSummary summary = tune(space, goal, profiler, {.strategy = "auto"});
//   SearchSummary mine = tune(space, goal, profiler, {.name = "mine", .run = search_mine}, {});
//
// Strategies see a Search: the points, the results so far and the remaining budget, but no board,
// sweep or twin.
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

// In the order of docs/methods/search.md.
std::span<const Strategy> strategies();
const std::vector<std::string_view>& strategy_names();
// Throws UsageError with all names.
const Strategy& find_strategy(std::string_view name);

// With the strategy that the options name. Throws UsageError for an unknown name or invalid
// options.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options);
// With any strategy, for example your own; the name in the options is ignored.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const Strategy& strategy, StrategyOptions options);
// With several boards at once. A strategy whose row does not set `in_parallel` uses one of them.
SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const StrategyOptions& options);
SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const Strategy& strategy, StrategyOptions options);

// The strategies of the table; the simple ones are in strategies/baselines.cc.
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
