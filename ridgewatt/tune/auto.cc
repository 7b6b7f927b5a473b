// Our search: constrained Bayesian optimisation on the structured surrogate. Expected improvement
// of the logarithm of the objective times the probability that every limit is kept (Gardner et al.
// 2014); while nothing feasible is known, the most probably feasible point.
#include <algorithm>
#include <cmath>

#include "ridgewatt/tune/acquisition.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
namespace {

// The corners that tell the parts of the structure apart, as shares of each knob's range: cores,
// CPU, GPU, memory, batch.
constexpr std::array<std::array<double, SearchSpace::kAxes>, 5> kDesign = {{
    {0.5, 0.5, 0.5, 0.5, 0.5},
    {0.5, 0.2, 0.9, 0.9, 0.9},
    {0.9, 0.9, 0.3, 0.6, 0.2},
    {0.0, 0.6, 0.7, 0.3, 0.7},
    {1.0, 1.0, 1.0, 1.0, 1.0},
}};

std::size_t design_point(const SearchSpace& space,
                         const std::array<double, SearchSpace::kAxes>& share) {
  SearchSpace::Position position{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto last = static_cast<double>(std::max<std::size_t>(space.levels(axis).size(), 1) - 1);
    position[axis] = static_cast<int>(std::lround(share[axis] * last));
  }
  return *space.nearest(position);
}

}  // namespace

std::optional<Observation> search_auto(Search& search, const SurrogatePrior& prior, double noise,
                                       double min_gain, std::uint64_t seed) {
  const SearchSpace& space = search.space();
  Surrogate surrogate(prior, noise);
  for (const auto& seen : search.seen()) {
    surrogate.observe(*space.find(seen.point), seen.time_s, seen.power_w);
  }
  const auto profile = [&](std::size_t index, const char* reason) {
    const std::size_t before = search.seen().size();
    search.profile(index, reason);
    for (std::size_t i = before; i < search.seen().size(); ++i) {
      const auto& seen = search.seen()[i];
      surrogate.observe(*space.find(seen.point), seen.time_s, seen.power_w);
    }
  };
  (void)seed;
  const std::size_t start = prior.has_references() ? 2 : 4;
  for (std::size_t i = 0; i < start && search.left() > 0; ++i) {
    if (surrogate.observations() >= start) break;
    const std::size_t index = design_point(space, kDesign[i]);
    if (!search.tried(index)) profile(index, "start: tells the structure apart");
  }
  Beliefs beliefs;
  Outlook outlook;
  while (search.left() > 0) {
    surrogate.predict(beliefs);
    judge_beliefs(space, search.goal(), beliefs, outlook);
    const auto best = search.best();
    std::optional<std::size_t> next;
    double next_score = -1;
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (search.tried(i)) continue;
      double score = outlook.feasible[i];
      if (best) {
        score *= expected_improvement(outlook.objective_mean[i], outlook.objective_sd[i],
                                      std::log(objective_value(search.goal(), *best)));
      }
      if (score > next_score) next_score = score, next = i;
    }
    if (!next) break;
    if (best && next_score < min_gain) break;
    profile(*next, best ? "largest expected gain" : "most probably within the limits");
  }
  return std::nullopt;
}

}  // namespace ridgewatt
