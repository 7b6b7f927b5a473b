// ALS: active learning of the Pareto front of power and throughput, as published by Fulcrum,
// applied to the plans of a pair at the problem's arrival rate. Not published, chosen here: the
// space-filling start is both corners, then a Halton sequence over knobs and batches, a fifth of
// the budget but at most 12 points. The rounds take the latency bounds in turn and learn the front
// of one of them. The front is cut into bins of power, a quarter as many as profiles remain but at
// most 8. Each bin gives its least certain point.
#include <algorithm>
#include <numeric>

#include "ridgewatt/base/sort.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/search_steps.h"

namespace ridgewatt::schedule {
namespace {

struct Believed {
  double power_w = 0;
  double throughput = 0;
  // Stable, within the latency bound of this round, and at most 5 % over the power budget.
  bool wanted = false;
};

std::vector<Believed> believe_all(const PlanSearch& search, const PlanBeliefs& beliefs,
                                  double latency_s) {
  static constexpr double kMean[4] = {0, 0, 0, 0};
  const PlanSpace& space = search.plan_space();
  const PlanProblem& problem = search.problem();
  std::vector<Believed> believed(space.points().size());
  Candidate mean;
  for (std::size_t i = 0; i < believed.size(); ++i) {
    if (search.allowed()[i] == 0) continue;
    beliefs.draw(space, i, kMean, mean);
    const Cycle cycle = make_cycle(mean, problem.arrival_rate_hz, problem.bound);
    believed[i].power_w = cycle.peak_power_w;
    // Without training: the share of time in which inference leaves the device idle.
    believed[i].throughput =
        space.has_training() ? cycle.training_throughput_hz : 1 - cycle.utilization;
    believed[i].wanted = cycle.stable && cycle.latency_s <= latency_s &&
                         cycle.peak_power_w <= 1.05 * problem.max_power_w;
  }
  return believed;
}

// Untried points on the front of throughput and power.
std::vector<std::size_t> untried_front(const PlanSearch& search,
                                       const std::vector<Believed>& believed) {
  std::vector<std::size_t> order(believed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    return believed[a].power_w < believed[b].power_w;
  });
  std::vector<std::size_t> front, rest;
  // -1 admits the point with the lowest power even without training: it is the answer of the
  // smallest budgets.
  double most = -1;
  for (const std::size_t i : order) {
    if (search.allowed()[i] == 0) continue;
    if (!search.tried(i)) rest.push_back(i);
    if (!believed[i].wanted || believed[i].throughput <= most) continue;
    most = believed[i].throughput;
    if (!search.tried(i)) front.push_back(i);
  }
  return front.empty() ? rest : front;
}

}  // namespace

void plan_search_als(PlanSearch& search) {
  const PlanSpace& space = search.plan_space();
  tune::fill_space(search, search.options().seed);
  PlanBeliefs beliefs(search);
  const auto& shares = search.options().front_latency_shares;
  for (std::size_t round = 0; search.profiles_left() > 0; ++round) {
    beliefs.update(search);
    const double latency_s = search.problem().max_latency_s * shares[round % shares.size()];
    const auto believed = believe_all(search, beliefs, latency_s);
    const auto front = untried_front(search, believed);
    if (front.empty()) return;
    const auto bins = static_cast<std::size_t>(std::clamp(search.profiles_left() / 4, 1, 8));
    const auto chosen = tune::least_certain_of_bins(
        front, bins, [&](std::size_t i) { return believed[i].power_w; },
        [&](std::size_t i) { return beliefs.uncertainty(space, i); });
    for (const std::size_t point : chosen) {
      search.look(point, "least certain of the predicted front");
    }
  }
}

}  // namespace ridgewatt::schedule
