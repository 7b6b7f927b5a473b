// One search for the best operating point for a goal. Strategies measure through this
// class.
//
//   void search_mine(Search& search) {            // a strategy of your own: tune/strategy.h
//     for (std::size_t i = 0; search.profiles_left() > 0 && i < search.space().size(); ++i) {
//       if (search.untried(i) && promising(search.space()[i])) search.profile(i, "promising");
//     }
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/budgeted_search.h"
#include "ridgewatt/tune/problem.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

class AsyncProfiler;
class Flights;
class SurrogatePrior;
struct FinishedRun;

// How a strategy treats outstanding results when it chooses the next point.
enum class InFlightRule {
  kBelieved,  // as the predicted mean (kriging believer)
  kAverage,   // as the mean of the results so far (constant liar)
  kDrawn      // as random draws of the prediction (q-expected improvement by Monte Carlo)
};
constexpr auto enum_names(InFlightRule) {
  return named<InFlightRule>({{InFlightRule::kBelieved, "believed"},
                              {InFlightRule::kAverage, "average"},
                              {InFlightRule::kDrawn, "drawn"}});
}

// An answer is near the best if no feasible point is better by more than this share.
inline constexpr double kNearBest = 0.01;

struct StrategyOptions {
  std::string strategy = "auto";  // one of strategy_names()
  SearchBudget budget;
  std::uint64_t seed = 1;
  std::vector<PowerMode> presets;  // modes for the strategy `presets`
  // Observations of the same workload from earlier searches. Strategies with `remembers`
  // (tune/strategy_table.h) use them as results.
  std::vector<Observation> known;
  // Prior of model-based strategies. Null: computed from the space at first use. Share it between
  // searches of the same space, because computing it is expensive.
  std::shared_ptr<const tune::SurrogatePrior> prior;
  // `auto` stops when the expected relative gain of the best untried point is below this value.
  double min_gain = 0;
  // Number of samples of the job that will use the answer. `auto` also stops when a profile would
  // cost more time (or energy, if that is the objective) than its expected saving in the job. 0: no
  // job.
  double job_samples = 0;
  // `auto` stops when the probability that no untried point is better than its answer by more than
  // kNearBest reaches this value. 1: never.
  double near_best = 1;
  // Relative standard deviation of a measurement. It decides how the answer is chosen
  // (tune/answer.h).
  double noise = 0.01;
  InFlightRule in_flight = InFlightRule::kBelieved;
  // Returns the points that may be chosen, one flag per point. Called before the first profile and
  // after each one. Null: all points. A search on a running program uses this function to stay
  // within its power limit.
  std::function<std::vector<char>()> allowed = {};
};

// One profiled point, with the strategy's reason for it.
struct SearchStep {
  Observation seen;
  Verdict verdict;
  std::string reason;
};

struct SearchSummary {
  std::string strategy;
  bool feasible = false;              // there is an answer
  std::optional<Observation> answer;  // a profiled point whose measurement met every limit
  std::optional<Observation> miss;    // if there is no answer: the nearest miss
  StopReason stop_reason = StopReason::kNothingLeft;
  std::string stop;  // `stop_reason` as text
  // Probability that the answer is near the best (kNearBest). Empty for a strategy without a model,
  // and if Search::withholds().
  std::optional<double> near_best;
  std::vector<SearchStep> steps;
  std::size_t again = 0;        // repeats in `steps` to confirm the answer
  double reference_time_s = 0;  // per sample, for a slowdown limit; 0: not known
  double board_time_s = 0;      // sum over all steps of minibatches x time
  double board_energy_j = 0;    // sum over all steps of minibatches x energy
  double wall_clock_s = 0;      // with several boards; 0 for one board
};

class Search final : public BudgetedSearch<Observation> {
 public:
  // `space` and `profiler` must outlive the search. Throws UsageError for an invalid goal or
  // budget.
  Search(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
         StrategyOptions options);
  ~Search() override;

  // Profiling of several points at the same time, for strategies that can choose before all results
  // are available:
  //   do {
  //     while (search.can_start() && ..) search.start(index, "why this point");
  //   } while (search.collect());
  // can_start() is true if a board is free and the budget is not exhausted. Starting a point uses
  // the budget.
  bool can_start() const;
  // Starts an untried point. The reference of a slowdown limit is started first, if it is not
  // known. Throws Error if can_start() is false.
  void start(std::size_t point, std::string_view reason);
  // Waits until a run ends or a board becomes free. False if nothing is in flight. With OneAtATime,
  // start() and collect() together are equivalent to profile().
  bool collect();
  // Points in flight, in the order of their starts.
  const std::vector<std::size_t>& in_flight() const;
  std::size_t boards() const;
  // Sets the predicted ln(time of a minibatch) of every point. If a run takes far longer, its point
  // is also started on another board.
  void expect_times(std::span<const float> log_time);

  // The goal, with the reference of a slowdown limit once the top mode is measured.
  const Goal& goal() const { return goal_; }
  const StrategyOptions& options() const { return options_; }
  // The prior given in the options, or else one that is computed at the first call.
  const tune::SurrogatePrior& prior();

  // Whether some untried point is not allowed (StrategyOptions::allowed). Such points are unknown,
  // so the search states no probability that its answer is near the best.
  bool withholds() const;
  // Sets SearchSummary::near_best.
  void set_near_best(double probability) { near_best_ = probability; }

  // Ends the search and returns its summary with `answer`.
  SearchSummary finish(const std::optional<Observation>& answer) const;

 private:
  Observation measure(std::size_t point) override;
  std::optional<double> excess(const Observation& seen) const override;
  bool better(const Observation& a, const Observation& b) const override;
  double minibatch_time_s(const Observation& seen) const override { return seen.time_s; }
  std::optional<std::size_t> needed_first() const override;
  void learn(std::size_t point, const Observation& seen) override;
  std::optional<std::size_t> permitted_instead_of(std::size_t point) const override;

  void ask_allowed();
  void fly(std::size_t point, std::string_view reason);
  void settle(std::size_t point, const FinishedRun& run);

  Goal goal_;
  AsyncProfiler& profiler_;
  std::unique_ptr<Flights> flights_;
  std::vector<std::string> reasons_;  // reason for the start of each point
  // The point to start after the reference, with its reason.
  std::optional<std::pair<std::size_t, std::string>> behind_;
  StrategyOptions options_;
  std::optional<double> near_best_;
  std::size_t top_;
  double begun_s_;
};

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
