// How to look for the best operating point while profiling few: every strategy behind one call.
//
//   SearchSummary summary = tune(space, goal, profiler, {.strategy = "auto"});
//   SearchSummary mine = tune(space, goal, profiler, {.name = "mine", .run = search_mine}, {});
//
// Strategies see a Search: the points, what was seen and what may still be spent, never a board, a
// sweep or a twin.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/tune/async_profiler.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/strategy_table.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {

using Strategy = StrategyRow<Search>;

// In the order of docs/methods/search.md.
std::span<const Strategy> strategies();
const std::vector<std::string_view>& strategy_names();
// Throws UsageError that lists the names.
const Strategy& find_strategy(std::string_view name);

// With the strategy that the options name. Throws UsageError for an unknown one or for options that
// make no sense.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options);
// With any strategy, for example one of your own; the name in the options does not count.
SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const Strategy& strategy, StrategyOptions options);
// With several boards at once. A strategy whose row does not say `in_parallel` uses one of them.
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
