// What a model-based search expects of every point: the logarithm of the objective, and how likely
// each limit is kept. Time and power are independent log-normal beliefs.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/search_space.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt {

struct Outlook {
  std::vector<double> objective_mean;  // of the logarithm
  std::vector<double> objective_sd;
  std::vector<double> feasible;  // probability that all limits are kept
};

// A search whose surrogate learns what is profiled, and what was known before.
class LearningSearch {
 public:
  LearningSearch(Search& search, const SurrogatePrior& prior, double noise);
  void profile(std::size_t index, std::string_view reason);
  Surrogate& surrogate() { return surrogate_; }

 private:
  void learn();
  Search& search_;
  Surrogate surrogate_;
  std::size_t learnt_ = 0;
};

// First order in the logarithms; `goal` with its slowdown reference, if it has one, filled in.
void judge_beliefs(const SearchSpace& space, const Goal& goal, const Beliefs& beliefs,
                   Outlook& outlook);

// Probability that a standard normal variable is below `z`; 0 and 1 beyond six deviations.
double normal_below(double z);

}  // namespace ridgewatt
