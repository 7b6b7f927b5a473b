#include "ridgewatt/tune/strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/base/suggest.h"
#include "ridgewatt/tune/answer.h"
#include "ridgewatt/tune/async_profiler.h"

namespace ridgewatt::tune {

std::string listed(std::span<const std::string_view> names, std::string_view last_word) {
  if (names.size() < 2) return std::string(names.empty() ? "none" : names.front());
  const auto most = names.first(names.size() - 1);
  return fmt::format("{} {} {}", fmt::join(most, ", "), last_word, names.back());
}

std::span<const Strategy> strategies() {
  static const std::vector<Strategy> rows = {
      {.name = "exhaustive",
       .description = "every point",
       .run = search_exhaustive,
       .every_point = true},
      {.name = "maxn", .description = "the top mode", .run = search_maxn},
      {.name = "presets", .description = "the board's own modes", .run = search_presets},
      {.name = "random", .description = "points at random", .run = search_random},
      {.name = "gmd",
       .description = "gradient descent in several dimensions, as in Fulcrum",
       .run = search_gmd},
      {.name = "als",
       .description = "active learning of the Pareto front, as in Fulcrum",
       .run = search_als,
       .uses_prior = true,
       .remembers = true,
       .learns_front = true},
      {.name = "thompson",
       .description = "Thompson sampling: the best point of one random draw of time and power",
       .run = search_thompson,
       .uses_prior = true},
      {.name = "ogd",
       .description = "online gradient descent from the highest clocks",
       .run = search_ogd},
      {.name = "auto",
       .description = "constrained Bayesian optimization with a prior model of accelerators",
       .run = search_auto,
       .uses_prior = true,
       .remembers = true,
       .stops_early = true,
       .in_parallel = true}};
  return rows;
}

const std::vector<std::string_view>& strategy_names() {
  static const std::vector<std::string_view> names = names_of(strategies());
  return names;
}

const Strategy& find_strategy(std::string_view name) {
  const auto& all = strategy_names();
  return find_row(strategies(), require_name("strategy", name, {{all.begin(), all.end()}}));
}

SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options) {
  return tune(space, goal, profiler, find_strategy(options.strategy), options);
}

SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const Strategy& strategy, StrategyOptions options) {
  OneAtATime board(profiler);
  return tune(space, goal, board, strategy, std::move(options));
}

SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const StrategyOptions& options) {
  return tune(space, goal, profiler, find_strategy(options.strategy), options);
}

SearchSummary tune(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
                   const Strategy& strategy, StrategyOptions options) {
  options.strategy = strategy.name;
  if (strategy.every_point) options.budget.profiles = static_cast<int>(space.size());
  if (!strategy.remembers) options.known.clear();
  Search search(space, goal, profiler, std::move(options));
  strategy.run(search);
  const double noise = search.options().noise;
  if (noise <= kNoisy || strategy.every_point) return search.finish(search.best());
  const NoisyAnswers answers(space, search.prior(), noise, search.seen());
  return search.finish(answers.answer(search.goal()));
}

}  // namespace ridgewatt::tune
