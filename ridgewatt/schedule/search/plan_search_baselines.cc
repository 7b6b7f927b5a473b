// The baselines: every point, the top mode, and random points.
#include <algorithm>

#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/search_steps.h"

namespace ridgewatt::schedule {

void plan_search_exhaustive(PlanSearch& search) {
  tune::profile_every_point(search);
}

// Profiles the top mode with each possible batch, largest first.
void plan_search_maxn(PlanSearch& search) {
  const tune::SearchSpace& points = search.space();
  const PowerMode top = points[points.top()].mode;
  auto batches = points.batches();
  std::reverse(batches.begin(), batches.end());
  for (const int batch : batches) {
    const auto point = points.find({top, batch});
    if (point && search.batch_possible(batch)) search.look(*point, "top mode");
  }
}

void plan_search_random(PlanSearch& search) {
  const std::size_t count = search.space().size();
  const auto order = Random(search.options().seed).sample(count, count);
  tune::profile_in_order(search, order, "drawn at random");
}

}  // namespace ridgewatt::schedule
