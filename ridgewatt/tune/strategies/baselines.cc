// Strategies without a model: all modes, the top mode, the presets of the board, random points.
#include "ridgewatt/base/random.h"
#include "ridgewatt/tune/search_steps.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {

void search_exhaustive(Search& search) {
  profile_every_point(search);
}

void search_maxn(Search& search) {
  search.profile(search.space().top(), "top mode");
}

void search_presets(Search& search) {
  const SearchSpace& space = search.space();
  std::vector<int> batches = space.batches();
  if (batches.empty()) batches.push_back(0);
  for (const auto& preset : search.options().presets) {
    for (const int batch : batches) {
      const auto index = space.find({preset, batch});
      if (index) search.profile(*index, "preset of the board");
    }
  }
}

void search_random(Search& search) {
  std::vector<std::size_t> order(search.space().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random(search.options().seed).shuffle(order);
  profile_in_order(search, order, "drawn at random");
}

}  // namespace ridgewatt::tune
