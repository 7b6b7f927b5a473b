// A search that verifies the answer of a twin with a few profiles. It first profiles the reference
// of a slowdown limit. Then it repeatedly profiles the point with the largest expected gain within
// the limits, according to the twin corrected by the profiles so far.
//
//   Verification verification(goal, space, view, options);
//   const SearchSummary found = verification.search(profiler);  // options.budget.profiles at most
//   for (const auto& step : verification.next()) ..             // manually: what to profile next
//
// The answer is always a profiled point that met every limit. The reference itself meets a slowdown
// limit, so a goal with only this limit always has an answer. Observations from earlier searches
// (StrategyOptions::known) cost no profile. Throws the errors of Search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/twin_doubt.h"

namespace ridgewatt::tune {

class Verification {
 public:
  // Maximum number of points that are considered: the best ones according to the twin. The top
  // point and the known points are added.
  static constexpr std::size_t kMostPoints = 2000;

  Verification(const Goal& goal, const SearchSpace& all, const TwinView& view,
               StrategyOptions options);

  const SearchSpace& space() const { return space_; }
  SearchSummary search(Profiler& profiler);

  struct Step {
    OperatingPoint point;
    std::string reason;
  };
  // For use without a profiler. Returns the reference if it is unknown, and the point with the
  // largest expected gain. Empty if the budget is used up or no point has an expected gain.
  std::vector<Step> next() const;
  // Returns the best known point that meets every limit.
  std::optional<Observation> best_known() const;
  // Returns the goal, with the reference of a slowdown limit if it is known.
  Goal goal() const;

 private:
  struct Promise {
    std::size_t point = 0;
    double gain = 0;  // expected gain as a share of the best objective
  };
  std::optional<Promise> most_promising(const Search& search, const Goal& goal,
                                        const TwinDoubt& doubt,
                                        std::optional<double> best_objective) const;

  Goal goal_;
  StrategyOptions options_;
  SearchSpace space_;
  TwinDoubt doubt_;  // before any profile
};

// Returns the points of `all` that a verification considers: the top point, the best `most` points
// according to the twin, and the known points.
std::vector<OperatingPoint> verifiable_points(const Goal& goal, const SearchSpace& all,
                                              const TwinView& view,
                                              std::span<const Observation> known, std::size_t most);

}  // namespace ridgewatt::tune
