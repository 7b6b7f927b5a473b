// ALS: active learning of the Pareto front, as Fulcrum publishes it. What is not published is
// chosen here: the small space-filling set is the corners and middle of the knobs plus a Halton
// sequence, a fifth of the budget but at most 12; the front is cut into bins of power, half as many
// as profiles are left but at most 12, and each bin gets the untried point of the predicted front
// whose time and power are least certain.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/tune/acquisition.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
void search_als(Search& search, const SurrogatePrior& prior, double noise, std::uint64_t seed) {
  const SearchSpace& space = search.space();
  LearningSearch learning(search, prior, noise);
  const auto start = static_cast<std::size_t>(std::clamp(search.left() / 5, 3, 12));
  for (std::size_t n = 0; learning.surrogate().observations() < start && n < 10 * start; ++n) {
    if (search.left() <= 0) return;
    const std::size_t index = *space.nearest(space.space_filling(n < 2 ? n : n + seed % 97));
    if (!search.tried(index)) learning.profile(index, "space filling");
  }
  Beliefs beliefs;
  while (search.left() > 0) {
    learning.surrogate().predict(beliefs);
    // Predicted front of time a sample and power.
    std::vector<std::size_t> order(space.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto slowness = [&](std::size_t i) {
      return beliefs.time_mean[i] - std::log(std::max(space[i].batch, 1));
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return beliefs.power_mean[a] < beliefs.power_mean[b];
    });
    std::vector<std::size_t> front;
    double fastest = Limits::kNone;
    for (const std::size_t i : order) {
      if (slowness(i) >= fastest) continue;
      fastest = slowness(i);
      if (!search.tried(i)) front.push_back(i);
    }
    if (front.empty()) {
      for (const std::size_t i : order) {
        if (!search.tried(i)) front.push_back(i);
      }
      if (front.empty()) return;
    }
    const double low = beliefs.power_mean[front.front()], high = beliefs.power_mean[front.back()];
    const int bins = std::clamp(search.left() / 2, 1, 12);
    std::vector<std::optional<std::size_t>> chosen(static_cast<std::size_t>(bins));
    const auto uncertainty = [&](std::size_t i) {
      return std::hypot(beliefs.time_sd[i], beliefs.power_sd[i]);
    };
    for (const std::size_t i : front) {
      const double share = high > low ? (beliefs.power_mean[i] - low) / (high - low) : 0;
      auto& choice = chosen[std::min<std::size_t>(static_cast<std::size_t>(share * bins),
                                                  static_cast<std::size_t>(bins) - 1)];
      if (!choice || uncertainty(i) > uncertainty(*choice)) choice = i;
    }
    for (const auto& choice : chosen) {
      if (choice && search.left() > 0)
        learning.profile(*choice, "least certain of the predicted front");
    }
  }
}

}  // namespace ridgewatt
