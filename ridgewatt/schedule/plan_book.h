// Finds the plan that serves a given arrival rate on time and trains most: ranked in closed form,
// decided by simulating the first of the ranking.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

// How a plan did on some arrivals.
struct Trial {
  double training_hz = 0;
  double late_share = 0;  // of the requests: over the latency bound, or never served
};
using TryPlan = std::function<Trial(const Candidate&)>;

// Share of the requests that may be late where the 99th percentile keeps the bound.
inline constexpr double kForgivenShare = 0.01;

// The same without training.
Candidate serving_only(Candidate candidate);

// With training, and without, as far as each is within the power budget.
std::vector<Candidate> dynamic_plans(std::span<const Candidate> candidates, double max_power_w);

// The serving plan of one of `plans` at a rate.
ServingPlan serving_plan_of(const Candidate& plan, std::span<const Candidate> plans, double rate_hz,
                            Bound bound);

struct PlanChoice {
  const Candidate* plan = nullptr;  // one of `plans`
  Trial trial;
};
// The plan that trains most with at most `most_late` of its requests late; when none keeps that,
// the plan without training with the fewest late requests. `plans` from dynamic_plans, not empty.
PlanChoice choose_plan(std::span<const Candidate> plans, double rate_hz, double max_latency_s,
                       double most_late, const TryPlan& attempt);

// The same for Poisson arrivals, remembered by rate, which is rounded up to steps of 5 %.
class PlanBook {
 public:
  // `simulation`: how plans are executed; `duration_s` and `max_latency_s` are set here. Throws
  // NoSolutionError when no candidate is within the power budget.
  PlanBook(std::span<const Candidate> candidates, const PlanProblem& problem,
           const SimulationOptions& simulation);

  PlanBook(const PlanBook&) = delete;
  PlanBook& operator=(const PlanBook&) = delete;

  const PlanProblem& problem() const { return problem_; }
  const Candidate& choose(double rate_hz);
  // How one of this book's plans does at a rate.
  const Trial& trial(const Candidate& plan, double rate_hz);
  bool meets(const Candidate& plan, double rate_hz);
  ServingPlan serving_plan(const Candidate& plan, double rate_hz) const;

 private:
  std::vector<Candidate> plans_;
  PlanProblem problem_;
  SimulationOptions simulation_;
  std::map<int, const Candidate*> choices_;                   // by step of the rate
  std::map<std::pair<const Candidate*, int>, Trial> trials_;  // by plan and step
  std::map<int, std::vector<double>> arrivals_;               // by step
};

}  // namespace ridgewatt::schedule
