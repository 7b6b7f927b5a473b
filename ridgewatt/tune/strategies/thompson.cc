// Thompson sampling: draw time and power from the surrogate, profile the best feasible point of the
// draw, repeat. One draw shifts all points together.
#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/tune/acquisition.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {

void search_thompson(Search& search) {
  Random random(search.options().seed);
  const SearchSpace& space = search.space();
  for (int i = 0; i < 3 && search.profiles_left() > 0; ++i) {
    search.profile(random.below(space.size()), "start: drawn at random");
  }
  SearchBeliefs believed(search);
  while (search.profiles_left() > 0) {
    const Beliefs& beliefs = believed.update();
    const double time_shift = random.normal(), power_shift = random.normal();
    std::optional<std::size_t> next;
    double next_value = Limits::kNone;
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (!search.untried(i)) continue;
      Observation drawn{space[i], 0, 0};
      drawn.time_s = std::exp(beliefs.time_mean[i] + time_shift * beliefs.time_sd[i]);
      drawn.power_w = std::exp(beliefs.power_mean[i] + power_shift * beliefs.power_sd[i]);
      const Verdict verdict = judge(search.goal(), drawn);
      // Points that break a limit rank behind all that meet the limits, by how far they exceed it.
      const double value =
          verdict.excess > 0 ? 1e6 * (1 + verdict.excess) : objective_value(search.goal(), drawn);
      if (value < next_value) next_value = value, next = i;
    }
    if (!next) return;
    search.profile(*next, "best point of a random draw");
  }
}

}  // namespace ridgewatt::tune
