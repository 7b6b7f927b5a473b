#include "ridgewatt/tune/search.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ridgewatt/tune/running/flights.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {
namespace {

constexpr double kFarOver = 1.1;  // chosen: smaller excesses of the time budget are not mentioned

}  // namespace

void SearchBudget::check() const {
  if (profiles < 1) {
    throw UsageError(fmt::format("the profiling budget must be 1 or more, but is {}", profiles));
  }
  if (!(time_s > 0)) {
    throw UsageError(fmt::format("the time budget must be positive, but is {} s", time_s));
  }
  if (minibatches < 1) {
    throw UsageError(fmt::format(
        "the number of minibatches per profile must be 1 or more, but is {}", minibatches));
  }
}

void tell_profile(int done, int total, std::string_view reason) {
  static const std::string kLabel = "profiles";
  const std::string note(reason);
  tell_work({kLabel, static_cast<std::size_t>(done), static_cast<std::size_t>(total), note});
}

std::string_view stop_reason_text(StopReason reason, bool withheld) {
  switch (reason) {
    case StopReason::kBudget:
      return "profiling budget used up";
    case StopReason::kTime:
      return "time budget used up";
    case StopReason::kNothingLeft:
      return withheld ? "no further point is known to be safe" : "nothing left to try";
    case StopReason::kNoGain:
      return withheld ? "no point that is known to be safe is expected to save more than its "
                        "profile costs"
                      : "no point is expected to save more than its profile costs";
    case StopReason::kNearBest:
      return "probably near the best";
  }
  return "";
}

Search::Search(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
               StrategyOptions options)
    : BudgetedSearch(space, options.budget),
      goal_(goal),
      profiler_(profiler),
      flights_(std::make_unique<Flights>(profiler, options.budget.minibatches)),
      options_(std::move(options)),
      top_(space.top()),
      begun_s_(profiler.now_s()) {
  goal_.check();
  for (const auto& observation : options_.known) {
    if (const auto point = space.find(observation.point)) add(*point, observation);
  }
  ask_allowed();
}

void Search::ask_allowed() {
  if (options_.allowed) allow(options_.allowed());
}

const SurrogatePrior& Search::prior() {
  if (!options_.prior)
    options_.prior = std::make_shared<const SurrogatePrior>(space(), predict::workload_groups());
  return *options_.prior;
}

Search::~Search() = default;

Observation Search::measure(std::size_t point) {
  flights_->start(point, space()[point]);
  for (;;) {
    const auto landed = flights_->next();
    if (!landed) continue;
    const FinishedRun& run = landed->run;
    ask_allowed();
    if (run.end == FinishedRun::End::kCannotRun) throw NotFoundError(run.reason);
    if (run.end == FinishedRun::End::kDoesNotFit) throw NotSupportedError(run.reason);
    return run.seen;
  }
}

bool Search::withholds() const {
  if (!options_.allowed) return false;
  for (std::size_t i = 0; i < space().size(); ++i) {
    if (allowed()[i] == 0 && !tried(i)) return true;
  }
  return false;
}

// Returns `point` if it is allowed, else the nearest untried point.
std::optional<std::size_t> Search::permitted_instead_of(std::size_t point) const {
  if (!options_.allowed || allowed()[point] != 0) return point;
  std::vector<char> left(space().size(), 0);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = untried(i) ? 1 : 0;
  return space().nearest(space().position(point), left);
}

bool Search::can_start() const {
  return profiles_left() > 0 && !behind_ && flights_->board_free();
}

void Search::start(std::size_t point, std::string_view reason) {
  if (!can_start())
    throw Error(
        "a profile cannot start, because no board is free or the profiling budget is used up");
  const auto first = needed_first();
  if (!first || *first == point || tried(*first)) return fly(point, reason);
  fly(*first, "reference for the slowdown limit");
  if (can_start()) return fly(point, reason);
  behind_.emplace(point, reason);
}

void Search::fly(std::size_t point, std::string_view reason) {
  begin(point, reason);
  reasons_.resize(space().size());
  reasons_[point] = reason;
  flights_->start(point, space()[point]);
}

bool Search::collect() {
  if (flights_->points().empty()) return false;
  if (const auto landed = flights_->next()) settle(landed->index, landed->run);
  if (!behind_ || !flights_->board_free()) return true;
  const auto [point, reason] = *std::exchange(behind_, std::nullopt);
  if (profiles_left() > 0 && !tried(point)) fly(point, reason);
  return true;
}

void Search::settle(std::size_t point, const FinishedRun& run) {
  ask_allowed();
  if (run.end == FinishedRun::End::kMeasured) keep(point, run.seen, reasons_[point]);
  if (run.end == FinishedRun::End::kDoesNotFit) rule_out_batches_from(point);
}

const std::vector<std::size_t>& Search::in_flight() const {
  return flights_->points();
}

std::size_t Search::boards() const {
  return profiler_.boards();
}

void Search::expect_times(std::span<const float> log_time) {
  flights_->expect_times(log_time);
}

std::optional<double> Search::excess(const Observation& seen) const {
  const Verdict verdict = judge(goal_, seen);
  if (verdict.feasibility == Feasibility::kUnknown) return std::nullopt;
  return verdict.excess;
}

bool Search::better(const Observation& a, const Observation& b) const {
  return objective_value(goal_, a) < objective_value(goal_, b);
}

// A slowdown limit can only be checked once the top mode was profiled.
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
  const bool withheld = withholds();
  const std::set<std::size_t> seen(points_seen().begin(), points_seen().end());
  summary.stop = seen.size() == space().size() ? "every point profiled"
                                               : stop_reason_text(summary.stop_reason, withheld);
  summary.answer = answer;
  if (answer && !withheld) summary.near_best = near_best_;
  summary.feasible = summary.answer.has_value();
  if (!summary.feasible) summary.miss = nearest_miss();
  for (const auto& [point, seen, reason] : profiled()) {
    summary.steps.push_back({seen, judge(goal_, seen), reason});
    summary.board_energy_j += budget().minibatches * seen.energy_j();
  }
  summary.board_time_s = time_s();
  if (time_s() > kFarOver * budget().time_s) {
    summary.stop += sentence(
        ", exceeded: the profiles took {:.4g} s, the budget is {:.4g} s, and a profile that has "
        "begun is completed",
        time_s(), budget().time_s);
  }
  summary.wall_clock_s = profiler_.now_s() - begun_s_;
  summary.reference_time_s = goal_.reference_time_s;
  return summary;
}

}  // namespace ridgewatt::tune
