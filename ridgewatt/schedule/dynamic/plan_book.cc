#include "ridgewatt/schedule/plan_book.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/schedule/arrivals.h"

namespace ridgewatt::schedule {
namespace {

// Number of plans to try: after the first that meets the bound, in total, and without training.
constexpr std::size_t kMore = 8;
constexpr std::size_t kMost = 100;
constexpr std::size_t kServing = 10;

constexpr double kRateStep = 1.05;
constexpr double kTrialSeconds = 60;
// Maximum share of late requests in a trial: half of the permitted share.
constexpr double kMostLate = kForgivenShare / 2;

int step_of(double rate_hz) {
  return static_cast<int>(std::ceil(std::log(rate_hz) / std::log(kRateStep) - 1e-9));
}

// The plans for which `worth` has a value, in descending order of this value.
template <class Worth>
std::vector<const Candidate*> ranked(std::span<const Candidate> plans, const Worth& worth) {
  std::vector<std::pair<double, const Candidate*>> order;
  for (const auto& plan : plans) {
    if (const auto value = worth(plan)) order.emplace_back(*value, &plan);
  }
  sort_stably(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Candidate*> result;
  for (const auto& entry : order) result.push_back(entry.second);
  return result;
}

// A request that arrives at the start of a training minibatch waits for that minibatch and for its
// own.
bool can_be_in_time(const Candidate& plan, double max_latency_s) {
  return plan.train().blocking_s + plan.infer().time_s <= max_latency_s;
}

}  // namespace

Candidate serving_only(Candidate candidate) {
  candidate.background.reset();
  return candidate;
}

std::vector<Candidate> dynamic_plans(std::span<const Candidate> candidates, double max_power_w) {
  std::vector<Candidate> plans;
  for (const auto& candidate : candidates) {
    if (candidate.peak_power_w() <= max_power_w) plans.push_back(candidate);
    if (!candidate.background) continue;
    Candidate serving = serving_only(candidate);
    if (serving.peak_power_w() <= max_power_w) plans.push_back(std::move(serving));
  }
  return plans;
}

ServingPlan serving_plan_of(const Candidate& plan, std::span<const Candidate> plans, double rate_hz,
                            Bound bound) {
  Plan planned;
  planned.candidate = plan;
  planned.cycle = make_cycle(plan, rate_hz, bound);
  return make_serving_plan(planned, plans);
}

PlanChoice choose_plan(std::span<const Candidate> plans, double rate_hz, double max_latency_s,
                       double most_late, const TryPlan& attempt) {
  const auto training = ranked(plans, [&](const Candidate& plan) -> std::optional<double> {
    const double fill_hz = early_dispatch(plan, rate_hz, max_latency_s).fill_hz;
    if (!plan.background || fill_hz <= 0 || !can_be_in_time(plan, max_latency_s)) return {};
    return fill_hz;
  });
  PlanChoice best;
  std::size_t more = 0;
  for (std::size_t i = 0; i < std::min(training.size(), kMost); ++i) {
    if (best.plan != nullptr && more++ >= kMore) break;
    const Trial trial = attempt(*training[i]);
    if (trial.late_share > most_late) continue;
    if (best.plan == nullptr || trial.training_hz > best.trial.training_hz) {
      best = {training[i], trial};
    }
  }
  if (best.plan != nullptr) return best;
  const auto serving = ranked(plans, [&](const Candidate& plan) -> std::optional<double> {
    if (plan.background) return {};
    const double capacity_hz = plan.infer().batch / plan.infer().time_s;
    // Late plans rank last.
    return can_be_in_time(plan, max_latency_s) ? capacity_hz : -1 / capacity_hz;
  });
  for (std::size_t i = 0; i < std::min(serving.size(), kServing); ++i) {
    const Trial trial = attempt(*serving[i]);
    if (best.plan == nullptr || trial.late_share < best.trial.late_share) {
      best = {serving[i], trial};
    }
  }
  return best;
}

PlanBook::PlanBook(std::span<const Candidate> candidates, const PlanProblem& problem,
                   const SimulationOptions& simulation)
    : plans_(dynamic_plans(candidates, problem.max_power_w)),
      problem_(problem),
      simulation_(simulation) {
  problem_.check(true);
  if (plans_.empty())
    throw NoSolutionError("no profiled power mode is within the power budget (--max-power)", "",
                          "raise --max-power, or profile modes with lower clocks");
  simulation_.duration_s = simulation_.window_s = kTrialSeconds;
  simulation_.max_latency_s = problem_.max_latency_s;
}

const Candidate& PlanBook::choose(double rate_hz) {
  const int step = step_of(rate_hz);
  if (const auto known = choices_.find(step); known != choices_.end()) return *known->second;
  const double rounded_hz = std::pow(kRateStep, step);
  const auto attempt = [&](const Candidate& plan) { return trial(plan, rate_hz); };
  const PlanChoice choice =
      choose_plan(plans_, rounded_hz, problem_.max_latency_s, kMostLate, attempt);
  return *(choices_[step] = choice.plan);
}

const Trial& PlanBook::trial(const Candidate& plan, double rate_hz) {
  const int step = step_of(rate_hz);
  const auto [entry, is_new] = trials_.try_emplace({&plan, step});
  if (!is_new) return entry->second;
  const double rounded_hz = std::pow(kRateStep, step);
  auto& arrivals = arrivals_[step];
  if (arrivals.empty()) {
    Random random(simulation_.seed);
    arrivals = poisson_arrivals(rounded_hz, kTrialSeconds, random);
  }
  const Simulation result = simulate(serving_plan(plan, rounded_hz), arrivals, simulation_);
  const auto late = static_cast<double>(result.violations + result.unserved);
  entry->second = {result.training_throughput_hz,
                   late / std::max<double>(1, static_cast<double>(arrivals.size()))};
  return entry->second;
}

bool PlanBook::meets(const Candidate& plan, double rate_hz) {
  return trial(plan, rate_hz).late_share <= kMostLate;
}

ServingPlan PlanBook::serving_plan(const Candidate& plan, double rate_hz) const {
  return serving_plan_of(plan, plans_, rate_hz, problem_.bound);
}

}  // namespace ridgewatt::schedule
