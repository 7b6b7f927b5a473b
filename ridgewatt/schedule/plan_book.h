// Finds the plan with the most training that serves a given arrival rate in time. Plans are ranked
// by the formulas of cycle.h. The first plans of the ranking are then simulated.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

// Result of a simulated plan.
struct Trial {
  double training_hz = 0;
  double late_share = 0;  // share of requests over the latency bound or never served
};
using TryPlan = std::function<Trial(const Candidate&)>;

// Largest share of late requests at which the 99th percentile is still within the bound.
inline constexpr double kForgivenShare = 0.01;

// Returns the candidate without its background.
Candidate serving_only(Candidate candidate);

// Returns each candidate with and without its background, if the power budget allows it.
std::vector<Candidate> dynamic_plans(std::span<const Candidate> candidates, double max_power_w);

// Returns the serving plan of `plan`, which is one of `plans`, at an arrival rate.
ServingPlan serving_plan_of(const Candidate& plan, std::span<const Candidate> plans, double rate_hz,
                            Bound bound);

struct PlanChoice {
  const Candidate* plan = nullptr;  // one of the given plans
  Trial trial;
};
// Returns the plan that trains most and has at most the share `most_late` of late requests. If
// there is none, returns the plan without training that has the fewest late requests. `plans` comes
// from dynamic_plans() and must not be empty. `attempt` simulates a plan.
PlanChoice choose_plan(std::span<const Candidate> plans, double rate_hz, double max_latency_s,
                       double most_late, const TryPlan& attempt);

// Chooses plans for Poisson arrivals. Results are cached by rate, rounded up to steps of 5 %.
class PlanBook {
 public:
  // `simulation` defines how plans are executed; its duration_s, window_s and max_latency_s are
  // overwritten. Throws NoSolutionError if no candidate is within the power budget.
  PlanBook(std::span<const Candidate> candidates, const PlanProblem& problem,
           const SimulationOptions& simulation);

  PlanBook(const PlanBook&) = delete;
  PlanBook& operator=(const PlanBook&) = delete;

  const PlanProblem& problem() const { return problem_; }
  // Returns the plan for a rate, as choose_plan() does.
  const Candidate& choose(double rate_hz);
  // Returns the trial of one of this book's plans at a rate, and whether it serves in time.
  const Trial& trial(const Candidate& plan, double rate_hz);
  bool meets(const Candidate& plan, double rate_hz);
  ServingPlan serving_plan(const Candidate& plan, double rate_hz) const;

 private:
  std::vector<Candidate> plans_;
  PlanProblem problem_;
  SimulationOptions simulation_;
  std::map<int, const Candidate*> choices_;                   // key: step of the rate
  std::map<std::pair<const Candidate*, int>, Trial> trials_;  // key: plan and step
  std::map<int, std::vector<double>> arrivals_;               // key: step
};

}  // namespace ridgewatt::schedule
