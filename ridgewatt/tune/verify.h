// A search that verifies the answer of a twin with a few profiles. The reference of a slowdown
// limit is profiled first; then, repeatedly, the point whose profile promises the largest gain
// within the limits according to the twin, corrected by the profiles so far.
//
//   Verification verification(goal, space, view, options);       // options.budget.profiles: N
//   const SearchSummary found = verification.search(profiler);   // N profiles at most
//   for (const auto& step : verification.next()) ..              // manually: what to profile next
//
// The answer is always a profiled point that met every limit; the reference is one, so a slowdown
// limit alone always has an answer. Earlier observations (StrategyOptions::known) cost no profile.
// Throws what Search throws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/twin_doubt.h"

namespace ridgewatt::tune {

class Verification {
 public:
  // Keeps the points of `all` that could be the answer: the top one, the known ones, and the
  // kMostPoints that are nearest to it according to the twin.
  static constexpr std::size_t kMostPoints = 2000;

  Verification(const Goal& goal, const SearchSpace& all, const TwinView& view,
               StrategyOptions options);

  const SearchSpace& space() const { return space_; }
  SearchSummary search(Profiler& profiler);

  struct Step {
    OperatingPoint point;
    std::string reason;
  };
  // Without a profiler: the reference if it is unknown, and the most promising point. Empty: the
  // budget is used up, or no point promises a gain.
  std::vector<Step> next() const;
  // The best known point that meets every limit.
  std::optional<Observation> best_known() const;
  // The goal, including its reference if it is known.
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

// The points of `all` that a verification considers, the top one first.
std::vector<OperatingPoint> verifiable_points(const Goal& goal, const SearchSpace& all,
                                              const TwinView& view,
                                              std::span<const Observation> known, std::size_t most);

}  // namespace ridgewatt::tune
