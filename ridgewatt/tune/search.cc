#include "ridgewatt/tune/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {

void SearchBudget::check() const {
  if (profiles < 1) {
    throw UsageError(fmt::format("the profiling budget must be 1 or more, is {}", profiles));
  }
  if (!(time_s > 0)) {
    throw UsageError(fmt::format("the time budget must be positive, is {} s", time_s));
  }
  if (minibatches < 1) {
    throw UsageError(fmt::format("a profile must run 1 minibatch or more, is {}", minibatches));
  }
}

std::string_view stop_reason_text(StopReason reason) {
  switch (reason) {
    case StopReason::kBudget:
      return "profiling budget spent";
    case StopReason::kTime:
      return "time budget spent";
    case StopReason::kNothingLeft:
      return "nothing left to try";
    case StopReason::kNoGain:
      return "no point promises a gain worth a profile";
  }
  return "";
}

Search::Search(const SearchSpace& space, const Goal& goal, Profiler& profiler,
               StrategyOptions options)
    : BudgetedSearch(space, options.budget),
      goal_(goal),
      profiler_(profiler),
      options_(std::move(options)),
      top_(space.top()) {
  goal_.check();
  for (const auto& observation : options_.known) {
    if (const auto point = space.find(observation.point)) add(*point, observation);
  }
}

const SurrogatePrior& Search::prior() {
  if (!options_.prior) options_.prior = std::make_shared<const SurrogatePrior>(space());
  return *options_.prior;
}

Observation Search::measure(std::size_t point) {
  return profiler_.profile(space()[point]);
}

std::optional<double> Search::excess(const Observation& seen) const {
  const Verdict verdict = judge(goal_, seen);
  if (verdict.feasibility == Feasibility::kUnknown) return std::nullopt;
  return verdict.excess;
}

bool Search::better(const Observation& a, const Observation& b) const {
  return objective_value(goal_, a) < objective_value(goal_, b);
}

// A slowdown limit means nothing before the top mode is known.
std::optional<std::size_t> Search::needed_first() const {
  if (!goal_.needs_reference() || goal_.reference_time_s > 0) return std::nullopt;
  return top_;
}

void Search::learn(std::size_t point, const Observation& seen) {
  if (needed_first() == point) {
    goal_.reference_time_s = seen.time_s / std::max(seen.point.batch, 1);
  }
}

SearchSummary Search::finish(const std::optional<Observation>& answer) const {
  SearchSummary summary;
  summary.strategy = options_.strategy;
  summary.stop_reason = stop_reason();
  summary.stop = stop_reason_text(summary.stop_reason);
  summary.answer = answer;
  summary.feasible = summary.answer.has_value();
  if (!summary.feasible) summary.miss = nearest_miss();
  for (const auto& [point, seen, reason] : profiled()) {
    summary.steps.push_back({seen, judge(goal_, seen), reason});
    summary.board_energy_j += budget().minibatches * seen.energy_j();
  }
  summary.board_time_s = time_s();
  summary.reference_time_s = goal_.reference_time_s;
  return summary;
}

}  // namespace ridgewatt::tune
