#include "ridgewatt/tune/in_place_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

// Minimum number of profiles for a strategy that restarts after drift.
constexpr int kLeastAfterDrift = 2;
constexpr const char* kAgain = "the answer, measured again";
// Number of windows measured before the strategy chooses, to approach the power limit.
constexpr int kClimb = 1;

}  // namespace

std::size_t in_place_start(const SearchSpace& space, const Goal& goal) {
  if (!std::isfinite(goal.limits.power_w)) return space.top();
  return space.nearest(SearchSpace::Position{}).value();
}

class InPlaceSearch::State {
 public:
  State(const SearchSpace& space, const Goal& goal, Profiler& profiler,
        InPlaceSearchOptions options)
      : space_(space),
        goal_(goal),
        profiler_(profiler),
        options_(std::move(options)),
        recorder_(*this) {
    if (goal.needs_reference() && std::isfinite(goal.limits.power_w)) {
      throw UsageError("--max-slowdown needs a measurement of MAXN, which --max-power forbids", "",
                       "give --max-time in place of --max-slowdown");
    }
    if (!options_.strategy.prior) {
      options_.strategy.prior = std::make_shared<const SurrogatePrior>(space);
    }
    options_.safe.limit_w = goal.limits.power_w;
    options_.safe.noise = options_.strategy.noise;
    safe_ = std::make_unique<SafeSet>(space, options_.strategy.prior, options_.safe);
    for (const auto& known : options_.strategy.known) {
      seen_.push_back({known, /*stale=*/true, "earlier run"});
    }
  }

  InPlaceResult run() {
    try {
      climb();
      search();
      renew();
    } catch (const ProgramEndedError&) {
      result_.program_ended = true;
    }
    conclude();
    return std::move(result_);
  }

 private:
  struct Seen {
    Observation seen;
    bool stale = false;  // scaled after drift, or from an earlier run
    std::string reason;
  };
  // The profiler that the strategy sees. It keeps every result in `state`, also when `tune` throws.
  class Recorder : public Profiler {
   public:
    explicit Recorder(State& state) : state_(state) {}
    Observation profile(const OperatingPoint& point) override { return state_.profile(point); }
    Provenance provenance() const override { return state_.profiler_.provenance(); }

   private:
    State& state_;
  };

  Observation profile(const OperatingPoint& point) {
    // After drift the strategy requests points again.
    for (const auto& [seen, stale, reason] : seen_) {
      if (!stale && seen.point == point && restarted_) return seen;
    }
    return measure(point);
  }

  Observation measure(const OperatingPoint& point) {
    const std::size_t index = space_.find(point).value();
    try {
      const Observation seen = profiler_.profile(point);
      safe_->observe(index, seen.time_s, seen.power_w);
      std::erase_if(seen_, [&](const Seen& one) { return one.stale && one.seen.point == point; });
      seen_.push_back({seen, false, {}});
      order_.push_back(point);
      ++measured_;
      return seen;
    } catch (const OverLimitError& error) {
      safe_->observe_power(index, error.power_w());
      order_.push_back(point);
      ++result_.over_limit;
      throw;
    }
  }

  void correct(const DriftedError& drift) {
    ++result_.drifts;
    // The last profiles may be from before or after the change, so they are dropped.
    for (int i = 0; i < drift.doubtful() && !order_.empty(); ++i) {
      const auto found = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& one) {
        return !one.stale && one.seen.point == order_.back();
      });
      if (found != seen_.end()) {
        seen_.erase(found);
        --measured_;
      }
      order_.pop_back();
      safe_->forget_last(1);
    }
    for (auto& one : seen_) {
      one.stale = true;
      one.seen.time_s *= drift.time_factor();
      one.seen.power_w *= drift.power_factor();
      if (one.seen.measured_energy_j) {
        *one.seen.measured_energy_j *= drift.time_factor() * drift.power_factor();
      }
      if (one.seen.time_median_s) *one.seen.time_median_s *= drift.time_factor();
      one.seen.fetch_stall_s.reset();
    }
    safe_->scale(drift.time_factor(), drift.power_factor());
    goal_.reference_time_s *= drift.time_factor();
  }

  // Before the strategy starts, measures windows that approach the power limit, since the
  // strategy's first points are not known to be safe yet. Only for strategies that use earlier
  // observations.
  void climb() {
    if (!std::isfinite(goal_.limits.power_w)) return;
    if (!find_strategy(options_.strategy.strategy).remembers) return;
    const int budget = std::min(kClimb, options_.strategy.budget.profiles - 1);
    while (measured_ < budget) {
      const auto next = safe_->next(goal_);
      if (!next) return;
      try {
        measure(space_[*next]);
        seen_.back().reason = "towards the power limit";
      } catch (const OverLimitError&) {
        continue;
      } catch (const DriftedError& drift) {
        correct(drift);
        restarted_ = true;
        if (result_.drifts > options_.most_renewed) return;
      }
    }
  }

  void search() {
    StrategyOptions strategy = options_.strategy;
    strategy.allowed = [this] { return safe_->allowed(); };
    for (;;) {
      strategy.known.clear();
      for (const auto& one : seen_) strategy.known.push_back(one.seen);
      const int least = result_.drifts > 0 ? kLeastAfterDrift : 1;
      strategy.budget.profiles = std::max(options_.strategy.budget.profiles - measured_, least);
      try {
        const int left = result_.over_limit, measured = measured_;
        result_.summary = tune(space_, goal_, recorder_, strategy);
        for (const auto& step : result_.summary.steps) steps_.push_back(step);
        // A mode that exceeded the limit gave no window. Restart a strategy that uses earlier
        // results.
        const bool missed = result_.over_limit > left && measured_ > measured;
        if (!missed || !find_strategy(strategy.strategy).remembers) break;
        if (measured_ >= options_.strategy.budget.profiles) break;
        if (result_.over_limit >= options_.strategy.budget.profiles) break;
        restarted_ = true;
      } catch (const DriftedError& drift) {
        correct(drift);
        restarted_ = true;
        if (result_.drifts > options_.most_renewed) break;
      }
    }
    if (result_.summary.reference_time_s > 0) {
      goal_.reference_time_s = result_.summary.reference_time_s;
    }
  }

  // The best observation, stale ones included.
  std::optional<std::size_t> best() const {
    std::vector<Observation> all;
    for (const auto& one : seen_) all.push_back(one.seen);
    return best_feasible(goal_, all);
  }

  // Measures the candidates for the answer again until the best one has a current measurement and
  // was measured last.
  void renew() {
    for (int i = 0; i < options_.most_renewed; ++i) {
      const auto candidate = best();
      if (!candidate) return;
      const OperatingPoint point = seen_[*candidate].seen.point;
      const bool stale = seen_[*candidate].stale;
      if (!stale && point == confirmed_) return;
      if (stale) ++result_.renewed;
      confirmed_ = point;
      try {
        measure(point);
        seen_.back().reason = kAgain;
      } catch (const OverLimitError&) {
        std::erase_if(seen_, [&](const Seen& one) { return one.seen.point == point; });
      } catch (const DriftedError& drift) {
        correct(drift);
      }
    }
  }

  void conclude() {
    SearchSummary& summary = result_.summary;
    std::vector<Observation> fresh;
    summary.strategy = options_.strategy.strategy;
    summary.board_time_s = summary.board_energy_j = 0;
    summary.steps.clear();
    for (const auto& [seen, stale, reason] : seen_) {
      if (stale) continue;
      fresh.push_back(seen);
      const auto step = std::find_if(
          steps_.begin(), steps_.end(),
          [&point = seen.point](const SearchStep& one) { return one.seen.point == point; });
      const std::string& why = reason.empty() && step != steps_.end() ? step->reason : reason;
      summary.steps.push_back({seen, judge(goal_, seen), why});
      summary.again += reason == kAgain ? 1 : 0;
    }
    const auto best = best_feasible(goal_, fresh);
    // With noisy measurements the strategy's answer stands: it is a point that was measured.
    const bool believed = summary.answer && result_.drifts == 0 && !result_.program_ended;
    if (!believed) summary.answer = best ? std::optional(fresh[*best]) : std::nullopt;
    summary.feasible = summary.answer.has_value();
    summary.miss.reset();
    if (!summary.feasible) {
      const auto miss = nearest_miss(goal_, fresh);
      if (miss) summary.miss = fresh[*miss];
    }
    if (result_.program_ended) summary.stop = "the program ended";
  }

  const SearchSpace& space_;
  Goal goal_;
  Profiler& profiler_;
  InPlaceSearchOptions options_;
  Recorder recorder_;
  std::unique_ptr<SafeSet> safe_;
  std::vector<Seen> seen_;
  std::vector<SearchStep> steps_;            // of all strategies that were started
  std::optional<OperatingPoint> confirmed_;  // the last point that was measured again
  std::vector<OperatingPoint> order_;        // points that the safe set observed, in order
  int measured_ = 0;
  bool restarted_ = false;  // after drift
  InPlaceResult result_;
};

InPlaceSearch::InPlaceSearch(const SearchSpace& space, const Goal& goal, Profiler& profiler,
                             InPlaceSearchOptions options)
    : state_(std::make_unique<State>(space, goal, profiler, std::move(options))) {}

InPlaceSearch::~InPlaceSearch() = default;

InPlaceResult InPlaceSearch::run() {
  return state_->run();
}

}  // namespace ridgewatt::tune
