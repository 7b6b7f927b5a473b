// A search with a budget: the allowed points, the remaining budget, the results and the best
// result. The searches for a mode (tune/search.h) and for a plan (schedule/plan_search.h) derive
// from it and define how a point is measured and compared.
//
//   while (search.profiles_left() > 0 && ..) search.profile(index, "why this point");
//   if (const auto answer = search.best()) ..
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/tune/search_space.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

struct SearchBudget {
  int profiles = 15;                                        // number of profiled operating points
  double time_s = std::numeric_limits<double>::infinity();  // limit of the total time on the board
  int minibatches = 40;  // per profile, as in PowerTrain and Fulcrum
  // Throws UsageError if a member is not positive.
  void check() const;
};

// The reason for the end of a search.
enum class StopReason {
  kBudget,       // the number of profiles is used up
  kTime,         // the time on the board is used up
  kNothingLeft,  // the strategy has no other point to try
  kNoGain,       // no point has enough expected gain
  kNearBest      // the answer is probably near the best
};
// "profiling budget used up", "time budget used up", "nothing left to try", .. `withheld`: some
// points were not tried because they are not known to be safe.
std::string_view stop_reason_text(StopReason reason, bool withheld = false);

// Reports progress (base/progress.h): the next of `total` profiles begins.
void tell_profile(int done, int total, std::string_view reason);

// `Result` is the result of profiling a point. `space` must outlive the search.
template <class Result>
class BudgetedSearch {
 public:
  // One profile, in order, with the strategy's reason for it.
  struct Profiled {
    std::size_t point = 0;
    Result seen;
    std::string reason;
  };

  BudgetedSearch(const SearchSpace& space, const SearchBudget& budget)
      : space_(space), budget_(budget), allowed_(space.size(), 1), tried_(space.size(), 0) {
    budget_.check();
  }
  virtual ~BudgetedSearch() = default;
  BudgetedSearch(const BudgetedSearch&) = delete;
  BudgetedSearch& operator=(const BudgetedSearch&) = delete;

  const SearchSpace& space() const { return space_; }
  // The points that may be chosen, one flag per point.
  const std::vector<char>& allowed() const { return allowed_; }
  // True if the point was profiled, is known from an earlier search, or cannot be run.
  bool tried(std::size_t point) const { return tried_[point] != 0; }
  // True if the point is allowed and not tried.
  bool untried(std::size_t point) const { return allowed_[point] != 0 && tried_[point] == 0; }
  // Number of remaining profiles; 0 if the time budget is used up.
  int profiles_left() const { return time_s_ < budget_.time_s ? budget_.profiles - spent_ : 0; }

  // Profiles a point and returns the result. A point may be profiled again. Empty if the budget is
  // used up or the point cannot be run. A failed run also uses a profile and is not repeated.
  std::optional<Result> profile(std::size_t point, std::string_view reason) {
    if (profiles_left() <= 0) return std::nullopt;
    if (const auto first = needed_first(); first && *first != point && !tried(*first)) {
      profile(*first, "reference for the slowdown limit");
      if (profiles_left() <= 0) return std::nullopt;
    }
    const auto permitted = permitted_instead_of(point);
    if (!permitted) return std::nullopt;
    point = *permitted;
    begin(point, reason);
    Result seen;
    try {
      seen = measure(point);
    } catch (const NotFoundError&) {
      return std::nullopt;
    } catch (const NotSupportedError&) {
      rule_out_batches_from(point);
      return std::nullopt;
    }
    keep(point, seen, reason);
    return seen;
  }
  // Returns the first result of a point, and profiles the point if it has none.
  std::optional<Result> look(std::size_t point, std::string_view reason) {
    for (std::size_t i = 0; i < points_seen_.size(); ++i) {
      if (points_seen_[i] == point) return seen_[i];
    }
    if (tried(point)) return std::nullopt;
    return profile(point, reason);
  }

  // All results and their points. Results from earlier searches come first; repeated profiles are
  // separate entries.
  const std::vector<Result>& seen() const { return seen_; }
  const std::vector<std::size_t>& points_seen() const { return points_seen_; }
  // The profiles made by this search, in order.
  const std::vector<Profiled>& profiled() const { return profiled_; }
  // The best result that meets every limit; empty if there is none.
  std::optional<Result> best() const {
    const Result* best = nullptr;
    for (const auto& one : seen_) {
      const auto over = excess(one);
      if (over && *over <= 0 && (best == nullptr || better(one, *best))) best = &one;
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
  }
  // The result with the smallest `excess` among those that violate a limit.
  std::optional<Result> nearest_miss() const {
    const Result* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& one : seen_) {
      const auto over = excess(one);
      if (over && *over > 0 && *over < least) nearest = &one, least = *over;
    }
    return nearest != nullptr ? std::optional(*nearest) : std::nullopt;
  }

  // Sets the reason when a strategy stops before the budget is used up.
  void stop_because(StopReason reason) { stop_reason_ = reason; }
  StopReason stop_reason() const {
    if (profiles_left() > 0) return stop_reason_;
    return spent_ >= budget_.profiles ? StopReason::kBudget : StopReason::kTime;
  }

 protected:
  // Profiles a point. Throws NotFoundError if the point cannot be run, NotSupportedError if it
  // exceeds the memory.
  virtual Result measure(std::size_t point) = 0;
  // Largest violation of a limit as a share; 0 or less if all limits are met. Empty if
  // unknown.
  virtual std::optional<double> excess(const Result& seen) const = 0;
  // True if `a` is better than `b`, assuming that both meet every limit.
  virtual bool better(const Result& a, const Result& b) const = 0;
  virtual double minibatch_time_s(const Result&) const { return 0; }
  // A point that must be measured first because the limits depend on it.
  virtual std::optional<std::size_t> needed_first() const { return std::nullopt; }
  // Returns the point to profile instead of `point` if `point` is not allowed. Empty: no point is
  // allowed.
  virtual std::optional<std::size_t> permitted_instead_of(std::size_t point) const { return point; }
  // Called with every result.
  virtual void learn(std::size_t /*point*/, const Result& /*seen*/) {}

  // Adds a result from an earlier search of the same workload. It uses no budget.
  void add(std::size_t point, const Result& seen) {
    tried_[point] = 1;
    seen_.push_back(seen);
    points_seen_.push_back(point);
    learn(point, seen);
  }
  void allow(std::vector<char> points) { allowed_ = std::move(points); }

  // A profile in two steps, for a search with several boards. begin() uses the budget, keep()
  // stores the result.
  void begin(std::size_t point, std::string_view reason) {
    tell_profile(spent_, budget_.profiles, reason);
    ++spent_;
    tried_[point] = 1;
  }
  void keep(std::size_t point, const Result& seen, std::string_view reason) {
    add(point, seen);
    profiled_.push_back({point, seen, std::string(reason)});
    time_s_ += budget_.minibatches * minibatch_time_s(seen);
  }
  // Marks all points with the batch of `point` or a larger one as tried, because a batch that
  // exceeds the memory does so in every mode.
  void rule_out_batches_from(std::size_t point) {
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (space_[i].batch >= space_[point].batch) tried_[i] = 1;
    }
  }
  const SearchBudget& budget() const { return budget_; }
  double time_s() const { return time_s_; }

 private:
  const SearchSpace& space_;
  SearchBudget budget_;
  std::vector<char> allowed_, tried_;
  std::vector<Result> seen_;
  std::vector<std::size_t> points_seen_;
  std::vector<Profiled> profiled_;
  int spent_ = 0;
  double time_s_ = 0;
  StopReason stop_reason_ = StopReason::kNothingLeft;
};

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
