#include "ridgewatt/schedule/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {
namespace {

// Quantities by which plans are compared. Lower is better for each.
using PlanCosts = std::array<double, 9>;

PlanCosts plan_costs(const Candidate& candidate) {
  const Minibatch& infer = candidate.infer();
  const Round& train = candidate.train();
  return {infer.time_s,   train.time_s,     infer.power_w,
          train.power_w,  train.blocking_s, infer.time_s * infer.power_w,
          train.energy_j, -train.samples,   train.required_hz};
}

// True if `a` is not worse than `b` in any quantity.
bool dominates(const PlanCosts& a, const PlanCosts& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] <= b[i])) return false;
  }
  return true;
}

// The costs of the candidates of a batch that no other candidate dominates.
class Undominated {
 public:
  void clear() { costs_.clear(); }
  // Adds the costs if none of the added ones dominates them. Returns whether they were added.
  bool add(const PlanCosts& costs) {
    const auto dominated_by = [&](const PlanCosts& kept) { return dominates(kept, costs); };
    // Check the last dominator first: it often dominates the next candidate as well.
    if (last_ < costs_.size() && dominated_by(costs_[last_])) return false;
    const auto found = std::find_if(costs_.begin(), costs_.end(), dominated_by);
    if (found != costs_.end()) {
      last_ = static_cast<std::size_t>(found - costs_.begin());
      return false;
    }
    costs_.push_back(costs);
    return true;
  }

 private:
  std::vector<PlanCosts> costs_;
  std::size_t last_ = 0;
};

// Sorts by batch, then peak power, times, and original order.
void sort_for_plans(std::vector<Candidate>& candidates) {
  using Key = std::tuple<int, double, double, double, std::size_t>;
  std::vector<Key> keys;
  keys.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    keys.emplace_back(c.infer().batch, c.peak_power_w(), c.infer().time_s, c.train().time_s, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Candidate> sorted;
  sorted.reserve(candidates.size());
  for (const auto& key : keys) sorted.push_back(std::move(candidates[std::get<4>(key)]));
  candidates = std::move(sorted);
}

// Describes each constraint that `candidate` misses.
std::string describe_miss(const Candidate& candidate, const Cycle& cycle,
                          const PlanProblem& problem) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (cycle.peak_power_w > problem.max_power_w) {
    add(fmt::format("power {:.2f} W over the budget of {:.2f} W", cycle.peak_power_w,
                    problem.max_power_w));
  }
  if (!cycle.stable) {
    add(
        fmt::format("overload: an inference minibatch takes {:.1f} ms, a batch arrives every "
                    "{:.1f} ms",
                    candidate.infer().time_s * 1e3, cycle.period_s * 1e3));
  } else if (candidate.inference && cycle.latency_s > problem.max_latency_s) {
    add(fmt::format("latency {:.1f} ms over the bound of {:.1f} ms", cycle.latency_s * 1e3,
                    problem.max_latency_s * 1e3));
  }
  if (candidate.train().required_hz > cycle.training_throughput_hz) {
    add(fmt::format("background gets {:.3f} rounds a second and needs {:.3f}",
                    cycle.training_throughput_hz, candidate.train().required_hz));
  }
  return text;
}

}  // namespace

bool better_plan(const Candidate& a, const Cycle& cycle_a, const Candidate& b,
                 const Cycle& cycle_b) {
  const double throughput_a = cycle_a.training_throughput_hz * a.train().samples;
  const double throughput_b = cycle_b.training_throughput_hz * b.train().samples;
  return std::tuple(-throughput_a, cycle_a.latency_s, cycle_a.busy_energy_w) <
         std::tuple(-throughput_b, cycle_b.latency_s, cycle_b.busy_energy_w);
}

std::pair<bool, double> miss_of(const Candidate& candidate, const PlanProblem& problem) {
  const Cycle cycle = make_cycle(candidate, problem.arrival_rate_hz, problem.bound);
  return {!cycle.stable, violation(candidate, cycle, problem)};
}

Plan plan_with(const Candidate& candidate, const PlanProblem& problem) {
  Plan plan;
  plan.candidate = candidate;
  plan.cycle = make_cycle(candidate, problem.arrival_rate_hz, problem.bound);
  plan.violation = violation(candidate, plan.cycle, problem);
  plan.feasible = plan.violation <= 0;
  if (!plan.feasible) plan.miss = describe_miss(candidate, plan.cycle, problem);
  return plan;
}

PlanTable::PlanTable(std::vector<Candidate> candidates) {
  if (candidates.empty()) throw UsageError("a plan needs profiled points");
  has_inference_ = candidates.front().inference.has_value();
  sort_for_plans(candidates);
  Undominated undominated;
  for (auto& candidate : candidates) {
    const Minibatch& infer = candidate.infer();
    if (groups_.empty() || groups_.back().batch != infer.batch) {
      groups_.push_back({infer.batch, candidates_.size(), candidates_.size(), infer.time_s});
      undominated.clear();
    }
    Group& group = groups_.back();
    // A dominating candidate has no higher peak power, so it comes first in the order.
    if (!undominated.add(plan_costs(candidate))) continue;
    group.least_infer_time_s = std::min(group.least_infer_time_s, infer.time_s);
    candidates_.push_back(std::move(candidate));
    group.end = candidates_.size();
  }
  power_w_.reserve(candidates_.size());
  for (const auto& candidate : candidates_) power_w_.push_back(candidate.peak_power_w());
}

const Candidate* PlanTable::find_best(const PlanProblem& problem, Cycle& best_cycle) const {
  const Candidate* best = nullptr;
  for (const auto& group : groups_) {
    if (group.batch > 0) {
      const double gather_s = (group.batch - 1) / problem.arrival_rate_hz;
      if (gather_s + group.least_infer_time_s > problem.max_latency_s ||
          group.least_infer_time_s > group.batch / problem.arrival_rate_hz) {
        continue;
      }
    }
    for (std::size_t i = group.begin; i < group.end && power_w_[i] <= problem.max_power_w; ++i) {
      const Candidate& candidate = candidates_[i];
      const Cycle cycle = make_cycle(candidate, problem.arrival_rate_hz, problem.bound);
      if (violation(candidate, cycle, problem) > 0) continue;
      if (best == nullptr || better_plan(candidate, cycle, *best, best_cycle)) {
        best = &candidate;
        best_cycle = cycle;
      }
    }
  }
  return best;
}

std::optional<double> PlanTable::best_throughput(const PlanProblem& problem) const {
  Cycle cycle;
  if (find_best(problem, cycle) == nullptr) return std::nullopt;
  return cycle.training_throughput_hz;
}

Plan PlanTable::best(const PlanProblem& problem) const {
  problem.check(has_inference_);
  Plan plan;
  if (const Candidate* best = find_best(problem, plan.cycle)) {
    plan.candidate = *best;
    plan.feasible = true;
    return plan;
  }
  const Candidate* nearest = nullptr;
  std::pair<bool, double> least;
  for (const auto& candidate : candidates_) {
    const auto missed = miss_of(candidate, problem);
    if (nearest == nullptr || missed < least) nearest = &candidate, least = missed;
  }
  return plan_with(*nearest, problem);
}

}  // namespace ridgewatt::schedule
