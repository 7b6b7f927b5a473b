#include "ridgewatt/tune/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

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

std::string SearchSummary::brief_report() const {
  std::string text;
  if (answer) {
    text = fmt::format("{:.4g} ms, {:.4g} W at {}", answer->time_s * 1e3, answer->power_w,
                       describe(answer->point.mode));
    if (answer->point.batch > 0) text += fmt::format(", batch {}", answer->point.batch);
  } else {
    text = "no profiled point keeps the limits";
  }
  return text + fmt::format("; {} profiles, {:.3g} min and {:.3g} kJ on the board; {}",
                            steps.size(), board_time_s / 60, board_energy_j / 1e3, stop);
}

Search::Search(const SearchSpace& space, const Goal& goal, Profiler& profiler,
               const SearchBudget& budget, const std::vector<Observation>& known)
    : space_(space),
      goal_(goal),
      profiler_(profiler),
      budget_(budget),
      top_(space.top()),
      tried_(space.size(), 0) {
  goal_.check();
  budget_.check();
  for (const auto& observation : known) {
    const auto index = space_.find(observation.point);
    if (!index) continue;
    tried_[*index] = 1;
    seen_.push_back(observation);
    if (*index == top_) note_reference(observation);
  }
}

void Search::note_reference(const Observation& seen) {
  if (goal_.needs_reference() && goal_.reference_time_s <= 0) {
    goal_.reference_time_s = seen.time_s / std::max(seen.point.batch, 1);
  }
}

int Search::left() const {
  return board_time_s_ < budget_.time_s ? budget_.profiles - spent_ : 0;
}

std::optional<Observation> Search::profile(std::size_t index, std::string_view reason) {
  if (left() <= 0) return std::nullopt;
  // A slowdown limit means nothing before the top mode is known.
  if (goal_.needs_reference() && goal_.reference_time_s <= 0 && index != top_ && !tried_[top_]) {
    profile(top_, "reference for the slowdown limit");
    if (left() <= 0) return std::nullopt;
  }
  ++spent_;
  tried_[index] = 1;
  Observation seen;
  try {
    seen = profiler_.profile(space_[index]);
  } catch (const NotFoundError&) {
    return std::nullopt;
  } catch (const NotSupportedError&) {
    // What does not fit the memory fits it in no mode, and neither does a larger batch.
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (space_[i].batch >= space_[index].batch) tried_[i] = 1;
    }
    return std::nullopt;
  }
  if (index == top_) note_reference(seen);
  seen_.push_back(seen);
  steps_.push_back({seen, judge(goal_, seen), std::string(reason)});
  board_time_s_ += budget_.minibatches * seen.time_s;
  board_energy_j_ += budget_.minibatches * seen.energy_j();
  return seen;
}

std::optional<Observation> Search::best() const {
  const auto index = best_feasible(goal_, seen_);
  return index ? std::optional(seen_[*index]) : std::nullopt;
}

SearchSummary Search::finish(std::string_view strategy, std::string_view stop,
                             const std::optional<Observation>& answer) const {
  SearchSummary summary;
  summary.strategy = strategy;
  summary.stop =
      left() > 0 ? std::string(stop)
                 : (spent_ >= budget_.profiles ? "profiling budget spent" : "time budget spent");
  summary.answer = answer;
  summary.feasible = summary.answer.has_value();
  if (!summary.feasible) {
    if (const auto miss = nearest_miss(goal_, seen_)) summary.miss = seen_[*miss];
  }
  summary.steps = steps_;
  summary.reference_time_s = goal_.reference_time_s;
  summary.board_time_s = board_time_s_;
  summary.board_energy_j = board_energy_j_;
  return summary;
}

}  // namespace ridgewatt
