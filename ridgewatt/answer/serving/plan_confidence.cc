#include "ridgewatt/answer/serving/plan_confidence.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

const predict::Prediction& PlanConfidence::cost(std::size_t program, const OperatingPoint& point) {
  auto known = costs_.find({program, point});
  if (known == costs_.end()) {
    const auto& model = *workloads_.models[program];
    const auto made = stated_cost(model(point), model.error(point), 0, predict::kDefaultInterval);
    known = costs_.emplace(std::pair(program, point), made).first;
  }
  return known->second;
}

std::vector<tune::LimitConfidence> PlanConfidence::of(const schedule::Candidate& at) {
  std::vector<schedule::Minibatch> programs = at.train().minibatches;
  if (at.inference) programs.insert(programs.begin(), *at.inference);
  const bool strict = problem_.bound == schedule::Bound::kStrict;
  const int waits = problem_.bound == schedule::Bound::kPublished ? 0 : 1;
  const double gather_s = at.inference ? (at.infer().batch - waits) / problem_.arrival_rate_hz : 0;
  const double latency_s = make_cycle(at, problem_.arrival_rate_hz, problem_.bound).latency_s;
  const double room = (problem_.max_latency_s - gather_s) / (latency_s - gather_s);
  std::vector<tune::LimitConfidence> least;
  for (std::size_t i = 0; i < std::min(programs.size(), workloads_.models.size()); ++i) {
    if (workloads_.models[i] == nullptr) continue;
    const OperatingPoint point{at.mode, programs[i].batch};
    const predict::Prediction& estimated = cost(i, point);
    const bool serves = at.inference && i == 0;
    tune::Goal goal;
    goal.limits.power_w = problem_.max_power_w;
    if (serves) goal.rate_hz = problem_.arrival_rate_hz;
    if (at.inference && std::isfinite(room) && (serves || strict)) {
      goal.limits.latency_s = serving_latency_s(goal, point.batch, room * estimated.time_s.mean);
    }
    tune::keep_least(least, tune::limit_confidence(goal, point, estimated));
  }
  return least;
}

double PlanConfidence::least(const schedule::Candidate& at) {
  return tune::least_confidence(of(at)).value_or(1);
}

std::vector<schedule::Candidate> PlanConfidence::sure(
    const std::vector<schedule::Candidate>& candidates, double probability) {
  std::vector<schedule::Candidate> result;
  for (const auto& candidate : candidates) {
    if (plan_with(candidate, problem_).feasible && least(candidate) >= probability) {
      result.push_back(candidate);
    }
  }
  return result;
}

schedule::Plan PlanConfidence::nearest(const std::vector<schedule::Candidate>& candidates,
                                       double probability) {
  schedule::Plan plan = schedule::PlanTable(candidates).best(problem_);
  if (!plan.feasible) return plan;
  double most = least(plan.candidate);
  for (const auto& candidate : candidates) {
    const schedule::Plan other = plan_with(candidate, problem_);
    const double found = other.feasible ? least(candidate) : 0;
    if (found > most) most = found, plan = other;
  }
  plan.feasible = false;
  plan.miss = sentence("the limits are met with a probability of {:.3g}, but {:g} is required",
                       most, probability);
  return plan;
}

}  // namespace ridgewatt::answer
