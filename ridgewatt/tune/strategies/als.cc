// ALS: active learning of the Pareto front, as published by Fulcrum. Not published, chosen here:
// the small space-filling set is the corners and middle of the knobs plus a Halton sequence, a
// fifth of the budget but at most 12 points. The front is cut into bins of power, half as many as
// profiles remain but at most 12. Half of the remaining profiles go to the untried point of the
// predicted front with the least certain time and power in each bin. Real fronts are rough, and the
// best points lie near the predicted front. So the other half goes to the point expected to be
// faster than all measured points within the power of a bin.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/acquisition.h"
#include "ridgewatt/tune/search_steps.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

constexpr std::size_t kMostBins = 12;
constexpr std::size_t kLevels = 24;  // levels of power
using Levels = std::array<double, kLevels>;

class AlsSearch {
 public:
  explicit AlsSearch(Search& search)
      : search_(search), space_(search.space()), learned_(search), beliefs_(learned_.get()) {}

  void run() {
    fill_space(search_, search_.options().seed);
    const int budget = search_.profiles_left();
    while (search_.profiles_left() > 0) {
      learned_.update();
      const bool learns_front = 3 * search_.profiles_left() > 2 * budget;
      const auto wanted = learns_front ? least_certain_of_fronts() : likely_faster();
      if (wanted.empty()) return;
      for (const std::size_t index : wanted) {
        search_.profile(index, learns_front ? "least certain of the predicted front"
                                            : "expected to be faster within its power");
      }
    }
  }

 private:
  // One front per batch. The rate of requests decides which batch is used, and for that choice the
  // time of a minibatch matters, not the time per sample.
  std::size_t batches() const {
    return std::max<std::size_t>(space_.levels(SearchSpace::kBatchAxis).size(), 1);
  }
  std::size_t batch_of(std::size_t i) const {
    return static_cast<std::size_t>(space_.position(i)[SearchSpace::kBatchAxis]);
  }
  // Number of bins of power per batch.
  std::size_t bins() const {
    return std::clamp<std::size_t>(
        static_cast<std::size_t>(search_.profiles_left()) / 2 / batches(), 1, kMostBins);
  }

  // Untried points of each batch's predicted front of time and power, by ascending power.
  std::vector<std::vector<std::size_t>> predicted_fronts() const {
    std::vector<std::size_t> order(space_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return beliefs_.power_mean[a] < beliefs_.power_mean[b];
    });
    std::vector<std::vector<std::size_t>> fronts(batches());
    std::vector<double> fastest(batches(), Limits::kNone);
    for (const std::size_t i : order) {
      const std::size_t batch = batch_of(i);
      if (beliefs_.time_mean[i] >= fastest[batch]) continue;
      fastest[batch] = beliefs_.time_mean[i];
      if (search_.untried(i)) fronts[batch].push_back(i);
    }
    return fronts;
  }

  std::vector<std::size_t> least_certain_of_fronts() const {
    const auto power = [&](std::size_t i) -> double { return beliefs_.power_mean[i]; };
    const auto uncertainty = [&](std::size_t i) {
      return std::hypot(beliefs_.time_sd[i], beliefs_.power_sd[i]);
    };
    std::vector<std::size_t> wanted;
    for (const auto& front : predicted_fronts()) {
      const auto chosen = least_certain_of_bins(front, bins(), power, uncertainty);
      wanted.insert(wanted.end(), chosen.begin(), chosen.end());
    }
    return wanted.empty() ? untried() : wanted;
  }

  std::vector<std::size_t> untried() const {
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (search_.untried(i)) points.push_back(i);
    }
    return points;
  }

  // Levels of log power between the lowest and the highest measured power.
  Levels power_levels() const {
    const auto& seen = search_.seen();
    const auto [least, most] = std::minmax_element(
        seen.begin(), seen.end(),
        [](const Observation& a, const Observation& b) { return a.power_w < b.power_w; });
    const double low = std::log(least->power_w), high = std::log(most->power_w);
    Levels edges{};
    for (std::size_t level = 0; level < kLevels; ++level) {
      edges[level] = low + (high - low) * static_cast<double>(level + 1) / kLevels;
    }
    return edges;
  }

  // The least log time measured within each power level, per batch. Without a measurement: the
  // longest predicted time of the batch.
  std::vector<Levels> fastest_within(const Levels& edges) const {
    std::vector<Levels> fastest(batches());
    for (auto& front : fastest) front.fill(-Limits::kNone);
    for (std::size_t i = 0; i < space_.size(); ++i) {
      auto& front = fastest[batch_of(i)];
      front.fill(std::max<double>(front.front(), beliefs_.time_mean[i]));
    }
    for (std::size_t n = 0; n < search_.seen().size(); ++n) {
      const Observation& one = search_.seen()[n];
      auto& front = fastest[batch_of(search_.points_seen()[n])];
      for (std::size_t level = 0; level < kLevels; ++level) {
        if (std::log(one.power_w) > edges[level] + 1e-9) continue;
        front[level] = std::min(front[level], std::log(one.time_s));
      }
    }
    return fastest;
  }

  // The untried point with the largest expected improvement of the fronts: the expected improvement
  // of log time, times the probability that its power is within the level, summed over the levels.
  std::vector<std::size_t> likely_faster() const {
    if (search_.seen().empty()) return {};
    const Levels edges = power_levels();
    const auto fastest = fastest_within(edges);
    std::optional<std::size_t> best;
    double most_gain = 0;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!search_.untried(i)) continue;
      const auto& front = fastest[batch_of(i)];
      double gain = 0;
      for (std::size_t level = 0; level < kLevels; ++level) {
        gain += expected_improvement(beliefs_.time_mean[i], beliefs_.time_sd[i], front[level]) *
                normal_below((edges[level] - beliefs_.power_mean[i]) / beliefs_.power_sd[i]);
      }
      if (gain > most_gain) most_gain = gain, best = i;
    }
    return best ? std::vector{*best} : least_certain_of_fronts();
  }

  Search& search_;
  const SearchSpace& space_;
  SearchBeliefs learned_;
  const Beliefs& beliefs_;
};

}  // namespace

void search_als(Search& search) {
  AlsSearch(search).run();
}

}  // namespace ridgewatt::tune
