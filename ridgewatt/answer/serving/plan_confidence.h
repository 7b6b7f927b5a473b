// The probability that a plan of models on a twin meets its limits, given the errors of the
// estimates.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ridgewatt/answer/serve.h"

namespace ridgewatt::answer {

class PlanConfidence {
 public:
  // Both arguments must outlive this object.
  PlanConfidence(const schedule::ScheduleWorkloads& workloads, const schedule::PlanProblem& problem)
      : workloads_(workloads), problem_(problem) {}

  // Returns one entry per limit; empty if the programs have no models. The power of each program
  // must be within the limit, the inference must finish before the next batch, and the worst
  // latency must be within its limit if all of its minibatches are longer by the same factor. The
  // errors of programs on one twin are nearly the same, so the least probability of a program
  // counts.
  std::vector<tune::LimitConfidence> of(const schedule::Candidate& at);
  // Returns the candidates that meet every limit with at least this probability.
  std::vector<schedule::Candidate> sure(const std::vector<schedule::Candidate>& candidates,
                                        double probability);
  // Returns the plan of the candidate that meets the limits with the highest probability, as a
  // nearest miss of `probability`. If no candidate meets them by the estimates, returns the nearest
  // miss of the estimates.
  schedule::Plan nearest(const std::vector<schedule::Candidate>& candidates, double probability);

 private:
  const predict::Prediction& cost(std::size_t program, const OperatingPoint& point);
  // The lowest probability of a limit: 1 if only measured values count.
  double least(const schedule::Candidate& at);

  const schedule::ScheduleWorkloads& workloads_;
  const schedule::PlanProblem& problem_;
  std::map<std::pair<std::size_t, OperatingPoint>, predict::Prediction> costs_;
};

}  // namespace ridgewatt::answer
