// The default search: constrained Bayesian optimization. Two surrogates, one per workload, predict
// time and power at every point. Draws from both go through the closed form of the cycle, including
// its floor function. The point with the largest expected improvement of a feasible plan is
// profiled next (Gardner et al. 2014), or before a feasible plan is known, the point most likely to
// be feasible.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/tune/search_steps.h"

namespace ridgewatt::schedule {
namespace {

constexpr int kDraws = 24;

// Start points, as shares of each knob's range (cores, CPU, GPU, memory) and of the possible
// batches: the middle, then points that separate the parts of the structure.
constexpr std::array<std::array<double, tune::SearchSpace::kAxes>, 3> kDesign = {{
    {0.5, 0.5, 0.5, 0.5, 0.6},
    {0.5, 0.2, 0.9, 0.9, 0.9},
    {1.0, 0.9, 0.3, 0.5, 0.3},
}};

// The share by which the candidate violates the limits; 0: not at all.
double miss(const PlanSearch& search, const Candidate& candidate, const Cycle& cycle) {
  const PlanProblem& problem = search.problem();
  if (search.options().goal != PlanGoal::kCapacity) return violation(candidate, cycle, problem);
  return std::max({0.0, candidate.infer().power_w / problem.max_power_w - 1,
                   2 * candidate.infer().time_s / problem.max_latency_s - 1});
}

// The value of a plan that meets the limits: training throughput, or without training the inverse
// of latency.
double worth(const PlanSearch& search, const Candidate& candidate, const Cycle& cycle) {
  if (search.options().goal == PlanGoal::kCapacity) {
    return candidate.infer().batch / candidate.infer().time_s;
  }
  if (!search.plan_space().has_training()) return 1 / cycle.latency_s;
  return candidate.train().samples *
         (search.options().goal == PlanGoal::kFill
              ? fill_throughput_hz(candidate, search.problem().arrival_rate_hz)
              : cycle.training_throughput_hz);
}

// The best value among the profiled points. Empty if none meets the limits.
std::optional<double> best_worth_so_far(const PlanSearch& search) {
  std::optional<double> best;
  for (const Candidate& candidate : search.seen()) {
    const Cycle cycle =
        make_cycle(candidate, search.problem().arrival_rate_hz, search.problem().bound);
    if (miss(search, candidate, cycle) > 0) continue;
    best = std::max(best.value_or(0), worth(search, candidate, cycle));
  }
  return best;
}

struct Prospect {
  double feasible = 0;     // number of feasible draws
  double improvement = 0;  // sum over the feasible draws of the improvement
  double expected = 0;     // sum over the feasible draws of the value
};

Prospect judge(const PlanSearch& search, const PlanBeliefs& beliefs, std::size_t point,
               const std::vector<std::array<double, 4>>& draws, double best_worth,
               Candidate& scratch) {
  Prospect prospect;
  for (std::size_t d = 0; d < draws.size(); ++d) {
    beliefs.draw(search.plan_space(), point, draws[d].data(), scratch);
    const Cycle cycle =
        make_cycle(scratch, search.problem().arrival_rate_hz, search.problem().bound);
    const double missed = miss(search, scratch, cycle);
    // Skip the other draws if the first two antithetic pairs are all far from feasible.
    if (d == 4 && prospect.feasible == 0 && missed > 0.5) return prospect;
    if (missed > 0) continue;
    const double value = worth(search, scratch, cycle);
    prospect.feasible += 1;
    prospect.expected += value;
    prospect.improvement += std::max(0.0, value - best_worth);
  }
  return prospect;
}

}  // namespace

void plan_search_auto(PlanSearch& search) {
  const PlanSpace& space = search.plan_space();
  for (const auto& share : kDesign) {
    if (search.seen().size() >= kDesign.size()) break;
    search.look(tune::point_at(search, share), "start: separates the effects of the knobs");
  }
  Random random(search.options().seed);
  std::vector<std::array<double, 4>> draws(kDraws);
  for (std::size_t d = 0; d < draws.size(); d += 2) {
    for (std::size_t k = 0; k < 4; ++k) {  // antithetic pairs
      draws[d][k] = random.normal();
      draws[d + 1][k] = -draws[d][k];
    }
  }
  PlanBeliefs beliefs(search);
  Candidate scratch;
  while (search.profiles_left() > 0) {
    beliefs.update(search);
    const std::optional<double> best_worth = best_worth_so_far(search);
    std::optional<std::size_t> next;
    double next_score = -1;
    for (std::size_t i = 0; i < space.points().size(); ++i) {
      if (!search.untried(i)) continue;
      const Prospect p = judge(search, beliefs, i, draws, best_worth.value_or(0), scratch);
      // Without a feasible plan, the probability decides first, then the expected value. If every
      // draw of a point is infeasible, its uncertainty decides.
      double score = p.improvement;
      if (!best_worth) score = p.feasible * 1e6 + p.expected;
      if (score == 0) score = 1e-9 * beliefs.uncertainty(space, i);
      if (score > next_score) next_score = score, next = i;
    }
    if (!next) return;
    search.profile(*next, best_worth ? "largest expected gain" : "probably within the limits");
  }
}

}  // namespace ridgewatt::schedule
