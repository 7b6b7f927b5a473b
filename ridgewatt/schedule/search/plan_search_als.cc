// ALS: active learning of the Pareto front of power and throughput, as Fulcrum publishes it, here
// for the plans of a pair at the problem's arrival rate. Not published and chosen here: the
// space-filling start is a Halton sequence over knobs and batches after both corners, a fifth of
// the budget but at most 12; each round learns the front of one latency bound in turn; it is cut
// into bins of power, a quarter as many as profiles are left but at most 8, and each bin gives its
// least certain point.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt {
namespace {

struct Believed {
  double power_w = 0;
  double throughput = 0;
  bool wanted = false;  // possible, and meets the latency bound of this round
};

std::vector<Believed> believe_all(const PlanSearch& search, const PlanBeliefs& beliefs,
                                  double latency_s) {
  static constexpr double kMean[4] = {0, 0, 0, 0};
  const PlanSpace& space = search.space();
  const PlanProblem& problem = search.problem();
  std::vector<Believed> believed(space.points().size());
  Candidate mean;
  for (std::size_t i = 0; i < believed.size(); ++i) {
    if (search.allowed()[i] == 0) continue;
    beliefs.draw(space, i, kMean, mean);
    const Cycle cycle = make_cycle(mean, problem.arrival_rate_hz, problem.bound);
    believed[i].power_w = cycle.peak_power_w;
    // Without training: what inference leaves of the device.
    believed[i].throughput =
        space.has_training() ? cycle.training_throughput_hz : 1 - cycle.utilisation;
    believed[i].wanted = cycle.stable && cycle.latency_s <= latency_s &&
                         cycle.peak_power_w <= 1.05 * problem.max_power_w;
  }
  return believed;
}

// Untried points of the front that throughput and power span.
std::vector<std::size_t> untried_front(const PlanSearch& search,
                                       const std::vector<Believed>& believed) {
  std::vector<std::size_t> order(believed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return believed[a].power_w < believed[b].power_w;
  });
  std::vector<std::size_t> front, rest;
  // Below nothing: the coolest point that only infers is the answer of the smallest budgets.
  double most = -1;
  for (const std::size_t i : order) {
    if (search.allowed()[i] == 0) continue;
    if (!search.seen(i)) rest.push_back(i);
    if (!believed[i].wanted || believed[i].throughput <= most) continue;
    most = believed[i].throughput;
    if (!search.seen(i)) front.push_back(i);
  }
  return front.empty() ? rest : front;
}

}  // namespace

void plan_search_als(PlanSearch& search) {
  const PlanSpace& space = search.space();
  const auto start = static_cast<std::size_t>(std::clamp(search.left() / 5, 3, 12));
  const std::size_t shift = search.options().seed % 97;
  for (std::size_t n = 0; search.order().size() < start && n < 10 * start; ++n) {
    const auto& points = search.space().points();
    const auto wanted = points.space_filling(n < 2 ? n : n + shift);
    search.profile(*points.nearest(wanted, search.allowed()));
  }
  PlanBeliefs beliefs(search);
  const auto& shares = search.options().front_latency_shares;
  for (std::size_t round = 0; search.left() > 0; ++round) {
    beliefs.update(search);
    const double latency_s = search.problem().max_latency_s * shares[round % shares.size()];
    const auto believed = believe_all(search, beliefs, latency_s);
    const auto front = untried_front(search, believed);
    if (front.empty()) return;
    const double low = believed[front.front()].power_w, high = believed[front.back()].power_w;
    const auto bins = static_cast<std::size_t>(std::clamp(search.left() / 4, 1, 8));
    std::vector<std::optional<std::size_t>> chosen(bins);
    for (const std::size_t i : front) {
      const double share = high > low ? (believed[i].power_w - low) / (high - low) : 0;
      auto& choice =
          chosen[std::min(static_cast<std::size_t>(share * static_cast<double>(bins)), bins - 1)];
      if (!choice || beliefs.uncertainty(space, i) > beliefs.uncertainty(space, *choice)) {
        choice = i;
      }
    }
    for (const auto& choice : chosen) {
      if (choice) search.profile(*choice);
    }
  }
}

}  // namespace ridgewatt
