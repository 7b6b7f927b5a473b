// ALS: active learning of the Pareto front, as Fulcrum publishes it. What is not published is
// chosen here: the small space-filling set is the corners and middle of the knobs plus a Halton
// sequence, a fifth of the budget but at most 12; the front is cut into bins of power, half as many
// as profiles are left but at most 12. Half of what is left goes to the untried point of the
// predicted front whose time and power are least certain in each bin. Real fronts are rough, and
// their best points lie beside the predicted front; so the other half goes to the point that
// promises to be faster than all that was measured within the power of the bin.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/acquisition.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
namespace {

constexpr int kMostBins = 12;

class AlsSearch {
 public:
  AlsSearch(Search& search, const SurrogatePrior& prior, double noise, std::uint64_t seed)
      : search_(search), space_(search.space()), learning_(search, prior, noise), seed_(seed) {}

  void run() {
    fill_space();
    const int budget = search_.left();
    while (search_.left() > 0) {
      learning_.surrogate().predict(beliefs_);
      const bool learns_front = 2 * search_.left() > budget;
      const auto wanted = learns_front ? least_certain_of_front() : likely_faster();
      if (wanted.empty()) return;
      for (const std::size_t index : wanted) {
        learning_.profile(index, learns_front ? "least certain of the predicted front"
                                              : "promises to be faster within its power");
      }
    }
  }

 private:
  void fill_space() {
    const auto start = static_cast<std::size_t>(std::clamp(search_.left() / 5, 3, 12));
    for (std::size_t n = 0; learning_.surrogate().observations() < start && n < 10 * start; ++n) {
      if (search_.left() <= 0) return;
      const std::size_t index = *space_.nearest(space_.space_filling(n < 2 ? n : n + seed_ % 97));
      if (!search_.tried(index)) learning_.profile(index, "space filling");
    }
  }

  int bins() const { return std::clamp(search_.left() / 2, 1, kMostBins); }
  double log_batch(std::size_t i) const { return std::log(std::max(space_[i].batch, 1)); }
  // Log time per sample, as predicted.
  double slowness(std::size_t i) const { return beliefs_.time_mean[i] - log_batch(i); }

  // Untried points of the predicted front of time per sample and power, ascending in power; all
  // untried points when there are none.
  std::vector<std::size_t> predicted_front() const {
    std::vector<std::size_t> order(space_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return beliefs_.power_mean[a] < beliefs_.power_mean[b];
    });
    std::vector<std::size_t> front;
    double fastest = Limits::kNone;
    for (const std::size_t i : order) {
      if (slowness(i) >= fastest) continue;
      fastest = slowness(i);
      if (!search_.tried(i)) front.push_back(i);
    }
    if (!front.empty()) return front;
    std::erase_if(order, [&](std::size_t i) { return search_.tried(i); });
    return order;
  }

  std::vector<std::size_t> least_certain_of_front() const {
    const auto front = predicted_front();
    if (front.empty()) return {};
    const double low = beliefs_.power_mean[front.front()];
    const double high = beliefs_.power_mean[front.back()];
    const auto count = static_cast<std::size_t>(bins());
    std::vector<std::optional<std::size_t>> chosen(count);
    const auto uncertainty = [&](std::size_t i) {
      return std::hypot(beliefs_.time_sd[i], beliefs_.power_sd[i]);
    };
    for (const std::size_t i : front) {
      const double share = high > low ? (beliefs_.power_mean[i] - low) / (high - low) : 0;
      const auto bin = static_cast<std::size_t>(share * static_cast<double>(count));
      auto& choice = chosen[std::min(bin, count - 1)];
      if (!choice || uncertainty(i) > uncertainty(*choice)) choice = i;
    }
    std::vector<std::size_t> wanted;
    for (const auto& choice : chosen) {
      if (choice) wanted.push_back(*choice);
    }
    return wanted;
  }

  // For the upper edge of each bin of the measured powers, the untried point with the largest
  // expected improvement of time per sample times its probability of staying below the edge.
  std::vector<std::size_t> likely_faster() const {
    const auto& seen = search_.seen();
    if (seen.empty()) return {};
    const auto [least, most] = std::minmax_element(
        seen.begin(), seen.end(),
        [](const Observation& a, const Observation& b) { return a.power_w < b.power_w; });
    const double low = std::log(least->power_w), high = std::log(most->power_w);
    std::vector<std::size_t> wanted;
    for (int bin = 1; bin <= bins(); ++bin) {
      const double edge = low + (high - low) * bin / bins();
      double fastest = Limits::kNone;
      for (const auto& one : seen) {
        if (std::log(one.power_w) > edge + 1e-9) continue;
        fastest = std::min(fastest, std::log(one.time_s / std::max(one.point.batch, 1)));
      }
      std::optional<std::size_t> best;
      double most_gain = 0;
      for (std::size_t i = 0; i < space_.size(); ++i) {
        if (search_.tried(i) || std::find(wanted.begin(), wanted.end(), i) != wanted.end()) {
          continue;
        }
        const double gain = expected_improvement(slowness(i), beliefs_.time_sd[i], fastest) *
                            normal_below((edge - beliefs_.power_mean[i]) / beliefs_.power_sd[i]);
        if (gain > most_gain) most_gain = gain, best = i;
      }
      if (best) wanted.push_back(*best);
    }
    return wanted.empty() ? least_certain_of_front() : wanted;
  }

  Search& search_;
  const SearchSpace& space_;
  LearningSearch learning_;
  std::uint64_t seed_;
  Beliefs beliefs_;
};

}  // namespace

void search_als(Search& search, const SurrogatePrior& prior, double noise, std::uint64_t seed) {
  AlsSearch(search, prior, noise, seed).run();
}

}  // namespace ridgewatt
