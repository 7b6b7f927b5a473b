#include "ridgewatt/tune/strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/tune/answer.h"

namespace ridgewatt {

const std::vector<std::string_view>& strategy_names() {
  static const std::vector<std::string_view> names = {
      "exhaustive", "maxn", "presets", "random", "gmd", "als", "thompson", "ogd", "auto"};
  return names;
}

SearchSummary tune(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                   const StrategyOptions& options) {
  const std::string& name = options.strategy;
  if (std::find(strategy_names().begin(), strategy_names().end(), name) == strategy_names().end()) {
    throw UsageError(fmt::format("unknown strategy '{}'", name), "",
                     fmt::format("choose one of {}", fmt::join(strategy_names(), ", ")));
  }
  SearchBudget budget = options.budget;
  if (name == "exhaustive") budget.profiles = static_cast<int>(space.size());
  const bool remembers = name == "als" || name == "auto";
  Search search(space, goal, profiler, budget,
                remembers ? options.known : std::vector<Observation>{});
  const bool models = remembers || name == "thompson";
  const bool noisy = options.noise > kNoisy && name != "exhaustive";
  const auto prior = options.prior || !(models || noisy)
                         ? options.prior
                         : std::make_shared<const SurrogatePrior>(space);
  std::string_view stop = "nothing left to try";
  if (name == "exhaustive") search_exhaustive(search);
  if (name == "maxn") search_maxn(search);
  if (name == "presets") search_presets(search, options.presets);
  if (name == "random") search_random(search, options.seed);
  if (name == "gmd") search_gmd(search);
  if (name == "ogd") search_ogd(search);
  if (name == "als") search_als(search, *prior, options.noise, options.seed);
  if (name == "thompson") search_thompson(search, *prior, options.noise, options.seed);
  if (name == "auto") {
    search_auto(search, *prior, options.noise, options.min_gain, options.seed);
    if (options.min_gain > 0) stop = "no point promises a gain worth a profile";
  }
  if (!noisy) return search.finish(name, stop, search.best());
  const NoisyAnswers answers(space, *prior, options.noise, search.seen());
  return search.finish(name, stop, answers.answer(search.goal()));
}

}  // namespace ridgewatt
