#include "ridgewatt/schedule/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {
namespace {

// No worse than `b` in anything that a plan looks at.
bool dominates(const Candidate& a, const Candidate& b) {
  const Minibatch &infer_a = a.infer(), &infer_b = b.infer();
  const Round &train_a = a.train(), &train_b = b.train();
  return infer_a.time_s <= infer_b.time_s && train_a.time_s <= train_b.time_s &&
         infer_a.power_w <= infer_b.power_w && train_a.power_w <= train_b.power_w &&
         train_a.blocking_s <= train_b.blocking_s &&
         infer_a.time_s * infer_a.power_w <= infer_b.time_s * infer_b.power_w &&
         train_a.energy_j <= train_b.energy_j && train_a.samples >= train_b.samples &&
         train_a.required_hz <= train_b.required_hz;
}

// Why `candidate` misses, in words; every constraint that is missed.
std::string describe_miss(const Candidate& candidate, const Cycle& cycle,
                          const PlanProblem& problem) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (cycle.peak_power_w > problem.max_power_w) {
    add(fmt::format("power {:.2f} W over the budget of {:.2f} W", cycle.peak_power_w,
                    problem.max_power_w));
  }
  if (candidate.inference && cycle.latency_s > problem.max_latency_s) {
    add(fmt::format("latency {:.1f} ms over the bound of {:.1f} ms", cycle.latency_s * 1e3,
                    problem.max_latency_s * 1e3));
  }
  if (!cycle.stable) {
    add(fmt::format("an inference minibatch takes {:.1f} ms, a batch arrives every {:.1f} ms",
                    candidate.infer().time_s * 1e3, cycle.period_s * 1e3));
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
  if (candidates.empty()) throw UsageError("there is nothing to plan with");
  has_inference_ = candidates.front().inference.has_value();
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    const auto key = [](const Candidate& c) {
      return std::tuple(c.infer().batch, c.peak_power_w(), c.infer().time_s, c.train().time_s);
    };
    return key(a) < key(b);
  });
  for (auto& candidate : candidates) {
    const Minibatch& infer = candidate.infer();
    if (groups_.empty() || groups_.back().batch != infer.batch) {
      groups_.push_back({infer.batch, candidates_.size(), candidates_.size(), infer.time_s});
    }
    Group& group = groups_.back();
    // What dominates has no higher peak power, so it stands before.
    const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(group.begin);
    if (std::any_of(begin, candidates_.end(),
                    [&](const auto& kept) { return dominates(kept, candidate); })) {
      continue;
    }
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
  double least = 0;
  for (const auto& candidate : candidates_) {
    const Cycle cycle = make_cycle(candidate, problem.arrival_rate_hz, problem.bound);
    const double missed = violation(candidate, cycle, problem);
    if (nearest == nullptr || missed < least) nearest = &candidate, least = missed;
  }
  return plan_with(*nearest, problem);
}

}  // namespace ridgewatt::schedule
