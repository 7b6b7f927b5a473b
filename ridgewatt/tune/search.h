// One search for the best operating point of a goal: the interface for strategies.
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

// The assumed results of points in flight, for a strategy that chooses the next point.
enum class InFlightRule {
  kBelieved,  // the predicted mean (kriging believer)
  kAverage,   // the mean of the results so far (constant liar)
  kDrawn      // many draws from the prediction: q-expected improvement by Monte Carlo
};
constexpr auto enum_names(InFlightRule) {
  return named<InFlightRule>({{InFlightRule::kBelieved, "believed"},
                              {InFlightRule::kAverage, "average"},
                              {InFlightRule::kDrawn, "drawn"}});
}

// An answer counts as near the best if no point is better by more than this share.
inline constexpr double kNearBest = 0.01;

struct StrategyOptions {
  std::string strategy = "auto";  // one of strategy_names()
  SearchBudget budget;
  std::uint64_t seed = 1;
  std::vector<PowerMode> presets;  // the board's own modes, for `presets`
  // Observations of the same workload from earlier searches; strategies that remember use them as
  // results.
  std::vector<Observation> known;
  // The belief of model-based strategies before the first profile; computed from the space if
  // empty. Share one between searches of the same space: computing it is expensive.
  std::shared_ptr<const tune::SurrogatePrior> prior;
  // `auto` stops when the best untried point promises less than this relative gain.
  double min_gain = 0;
  // Samples of the job that the answer is for: `auto` stops, too, when a profile costs more time
  // (energy, if that is the objective) than it is expected to save in the job; 0: no job.
  double job_samples = 0;
  // `auto` stops when no untried point is better than its answer by more than kNearBest with this
  // probability; 1: never.
  double near_best = 1;
  // Relative standard deviation of a measurement; it determines how far answers are trusted
  // (tune/answer.h).
  double noise = 0.01;
  InFlightRule in_flight = InFlightRule::kBelieved;
  // The points that may be chosen, one flag per point, queried before the first profile and after
  // each; all if empty. A search on a running program uses it to stay within its power limit.
  std::function<std::vector<char>()> allowed = {};
};

// One profiled point, in order, with the strategy's reason.
struct SearchStep {
  Observation seen;
  Verdict verdict;
  std::string reason;
};

struct SearchSummary {
  std::string strategy;
  bool feasible = false;              // an answer was found
  std::optional<Observation> answer;  // a profiled point that met every limit when measured
  std::optional<Observation> miss;    // without an answer: the profiled point nearest to feasible
  StopReason stop_reason = StopReason::kNothingLeft;
  std::string stop;  // the same in words
  // Probability that the answer is near the best (kNearBest), for a strategy with beliefs.
  std::optional<double> near_best;
  std::vector<SearchStep> steps;
  double reference_time_s = 0;  // of the slowdown limit, if known
  double board_time_s = 0;      // minibatches x time of every step
  double board_energy_j = 0;    // minibatches x energy of every step
  double wall_clock_s = 0;      // of a profiler with several boards; 0 for one board
};

class Search final : public BudgetedSearch<Observation> {
 public:
  // `space` and `profiler` must outlive the search.
  Search(const SearchSpace& space, const Goal& goal, AsyncProfiler& profiler,
         StrategyOptions options);
  ~Search() override;

  // Several points at once, for strategies that can choose before all results are available:
  //   do {
  //     while (search.can_start() && ..) search.start(index, "why this point");
  //   } while (search.collect());
  // A board is free and the budget, which pays for a point when it is started, is not used up.
  bool can_start() const;
  // Starts an untried point. The reference of a slowdown limit goes first.
  void start(std::size_t point, std::string_view reason);
  // Waits until something happens; false if nothing is in flight. With OneAtATime, start and
  // collect are equivalent to profile.
  bool collect();
  // Points in flight, in the order of their starts.
  const std::vector<std::size_t>& in_flight() const;
  std::size_t boards() const;
  // Sets the predicted logarithm of the time of a minibatch for every point: a run that takes far
  // longer is given to another board.
  void expect_times(std::span<const float> log_time);

  // The goal, including its slowdown reference after the top mode was profiled.
  const Goal& goal() const { return goal_; }
  const StrategyOptions& options() const { return options_; }
  // The belief before the first profile: that of the options, or computed at first use.
  const tune::SurrogatePrior& prior();

  // Sets the probability that the best result is near the best point (kNearBest).
  void set_near_best(double probability) { near_best_ = probability; }

  // Ends the search with `answer`.
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
  std::vector<std::string> reasons_;                           // the reason for starting each point
  std::optional<std::pair<std::size_t, std::string>> behind_;  // the reference: to start next
  StrategyOptions options_;
  std::optional<double> near_best_;
  std::size_t top_;
  double begun_s_;
};

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
