// The baselines: the top mode, and points at random.
#include <algorithm>

#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt {

// The top mode with each batch that is possible, largest first.
void plan_search_maxn(PlanSearch& search) {
  const SearchSpace& points = search.space().points();
  const PowerMode top = points[points.top()].mode;
  auto batches = points.batches();
  std::reverse(batches.begin(), batches.end());
  for (const int batch : batches) {
    const auto point = points.find({top, batch});
    if (point && search.batch_possible(batch)) search.profile(*point);
  }
}

void plan_search_random(PlanSearch& search) {
  Random random(search.options().seed);
  const std::size_t count = search.space().points().size();
  for (const std::size_t point : random.sample(count, count)) {
    if (search.left() <= 0) return;
    if (search.allowed()[point] != 0) search.profile(point);
  }
}

}  // namespace ridgewatt
