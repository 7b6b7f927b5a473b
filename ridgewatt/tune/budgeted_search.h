// A search on a budget: which points it may choose from, what it may still spend, what it has seen
// and what of that is best. The searches for a mode (tune/search.h) and for a plan
// (schedule/plan_search.h) say how a point is measured and judged; all else is counted here.
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
#include "ridgewatt/base/progress.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

struct SearchBudget {
  int profiles = 15;                                        // operating points profiled
  double time_s = std::numeric_limits<double>::infinity();  // time on the board
  int minibatches = 40;  // per profile: PowerTrain's and Fulcrum's number
  // Throws UsageError on a budget that allows nothing.
  void check() const;
};

// Why a search ended.
enum class StopReason {
  kBudget,       // as many points were profiled as it may
  kTime,         // the time on the board is spent
  kNothingLeft,  // the strategy has no point left that it wants
  kNoGain        // no point promises a gain worth a profile
};
// "profiling budget spent", "time budget spent", "nothing left to try", ..
std::string_view stop_reason_text(StopReason reason);

// `Result`: what a profile of a point says. `space` must outlive the search.
template <class Result>
class BudgetedSearch {
 public:
  // One profile, in order, and why the strategy asked for it.
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
  // Points that may be chosen, one flag per point.
  const std::vector<char>& allowed() const { return allowed_; }
  // Profiled, known or found impossible.
  bool tried(std::size_t point) const { return tried_[point] != 0; }
  // Allowed, and not tried yet.
  bool untried(std::size_t point) const { return allowed_[point] != 0 && tried_[point] == 0; }
  // 0 when the time budget is spent.
  int profiles_left() const { return time_s_ < budget_.time_s ? budget_.profiles - spent_ : 0; }

  // Profiles a point if the budget allows, even where it was profiled before, and says what was
  // seen. Nothing when the budget is spent or when the point cannot be run there (which costs a
  // profile and is remembered).
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
  // What was first seen at a point; profiles it where nothing was.
  std::optional<Result> look(std::size_t point, std::string_view reason) {
    for (std::size_t i = 0; i < points_seen_.size(); ++i) {
      if (points_seen_[i] == point) return seen_[i];
    }
    if (tried(point)) return std::nullopt;
    return profile(point, reason);
  }

  // Everything seen, known results first; repeats are separate entries. And where.
  const std::vector<Result>& seen() const { return seen_; }
  const std::vector<std::size_t>& points_seen() const { return points_seen_; }
  // What this search profiled itself, in order.
  const std::vector<Profiled>& profiled() const { return profiled_; }
  // The best that keeps every limit.
  std::optional<Result> best() const {
    const Result* best = nullptr;
    for (const auto& one : seen_) {
      const auto over = excess(one);
      if (over && *over <= 0 && (best == nullptr || better(one, *best))) best = &one;
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
  }
  // The one that breaks its worst limit by the least share.
  std::optional<Result> nearest_miss() const {
    const Result* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& one : seen_) {
      const auto over = excess(one);
      if (over && *over > 0 && *over < least) nearest = &one, least = *over;
    }
    return nearest != nullptr ? std::optional(*nearest) : std::nullopt;
  }

  // For a strategy that ends although there is budget left: why.
  void stop_because(StopReason reason) { stop_reason_ = reason; }
  StopReason stop_reason() const {
    if (profiles_left() > 0) return stop_reason_;
    return spent_ >= budget_.profiles ? StopReason::kBudget : StopReason::kTime;
  }

 protected:
  // Runs a point. Throws NotFoundError or NotSupportedError where it cannot be run.
  virtual Result measure(std::size_t point) = 0;
  // By which share the worst limit is broken; 0 or less: all are kept; nothing while that is open.
  virtual std::optional<double> excess(const Result& seen) const = 0;
  // Of two that keep every limit, whether `a` is the better one.
  virtual bool better(const Result& a, const Result& b) const = 0;
  virtual double minibatch_time_s(const Result&) const { return 0; }
  // A point that must be known before any other can be judged.
  virtual std::optional<std::size_t> needed_first() const { return std::nullopt; }
  // What is profiled where a strategy asks for this point; nothing: no point may be.
  virtual std::optional<std::size_t> permitted_instead_of(std::size_t point) const { return point; }
  // Called with everything that is seen.
  virtual void learn(std::size_t /*point*/, const Result& /*seen*/) {}

  // A result that costs nothing: from an earlier search of the same workload.
  void add(std::size_t point, const Result& seen) {
    tried_[point] = 1;
    seen_.push_back(seen);
    points_seen_.push_back(point);
    learn(point, seen);
  }
  void allow(std::vector<char> points) { allowed_ = std::move(points); }

  // A profile in three parts, for a search with several at once: it is paid for when it begins.
  void begin(std::size_t point, std::string_view reason) {
    static const std::string kLabel = "profiles";
    const std::string note(reason);
    tell_work({kLabel, static_cast<std::size_t>(spent_), static_cast<std::size_t>(budget_.profiles),
               note});
    ++spent_;
    tried_[point] = 1;
  }
  void keep(std::size_t point, const Result& seen, std::string_view reason) {
    add(point, seen);
    profiled_.push_back({point, seen, std::string(reason)});
    time_s_ += budget_.minibatches * minibatch_time_s(seen);
  }
  // What does not fit the memory fits it in no mode, and neither does a larger batch.
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
