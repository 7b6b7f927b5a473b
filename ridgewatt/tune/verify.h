// A search that holds what a twin answers to a few profiles. The reference of a slowdown limit is
// profiled first; then, again and again, the point whose profile promises the largest gain within
// the limits, by what the twin says and the profiles so far have taught of its errors.
//
//   Verification verification(goal, space, view, options);       // options.budget.profiles: N
//   const SearchSummary found = verification.search(profiler);   // N profiles at most
//   for (const auto& step : verification.next()) ..              // by hand: what to profile next
//
// The answer is always a point that was profiled and kept every limit there; the reference is one,
// so a slowdown limit alone always has an answer. Earlier observations (StrategyOptions::known)
// cost no profile. Throws what Search throws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/twin_doubt.h"

namespace ridgewatt::tune {

class Verification {
 public:
  // Of `all` points those stay that could be the answer: the top one, what is known, and the
  // kMostPoints that come nearest to it by the twin.
  static constexpr std::size_t kMostPoints = 2000;

  Verification(const Goal& goal, const SearchSpace& all, const TwinView& view,
               StrategyOptions options);

  const SearchSpace& space() const { return space_; }
  SearchSummary search(Profiler& profiler);

  struct Step {
    OperatingPoint point;
    std::string reason;
  };
  // Without a profiler: the reference where it is not known yet, and the most promising point.
  // Empty: as many as the budget allows are known, or none promises a gain.
  std::vector<Step> next() const;
  // The best that is known and keeps every limit.
  std::optional<Observation> best_known() const;
  // The goal, its reference filled in where that is known.
  Goal goal() const;

 private:
  struct Promise {
    std::size_t point = 0;
    double gain = 0;  // expected, as a share of the best objective
  };
  std::optional<Promise> most_promising(const Search& search, const Goal& goal,
                                        const TwinDoubt& doubt,
                                        std::optional<double> best_objective) const;

  Goal goal_;
  StrategyOptions options_;
  SearchSpace space_;
  TwinDoubt doubt_;  // before any profile
};

// The points of `all` that a verification looks at, the top one first.
std::vector<OperatingPoint> verifiable_points(const Goal& goal, const SearchSpace& all,
                                              const TwinView& view,
                                              std::span<const Observation> known, std::size_t most);

}  // namespace ridgewatt::tune
