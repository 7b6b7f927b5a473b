// The expectations of a model-based search for every point: the logarithm of the objective, and the
// probability that each limit is met. Time and power are independent log-normal beliefs.
#pragma once

#include <vector>

#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/search_space.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {

struct Outlook {
  std::vector<double> objective_mean;  // of the logarithm
  std::vector<double> objective_sd;
  std::vector<double> feasible;  // probability that all limits are met
};

// The beliefs after everything that a search has seen. The search must outlive it.
class SearchBeliefs {
 public:
  explicit SearchBeliefs(Search& search)
      : search_(search), surrogate_(search.prior(), search.options().noise) {}
  // Learns the new results of the search and predicts every point; results of points in flight are
  // taken as outstanding. Call it after the first result.
  const Beliefs& update();
  const Beliefs& get() const { return beliefs_; }
  // Probability that `answer`, a point that was measured, meets every limit, and that no other
  // point does and is better by more than `share`. Without noise (tune/answer.h) the measurements
  // of tried points are exact. `outlook`: of these beliefs.
  double near_best(const Outlook& outlook, const Observation& answer, double share) const;

 private:
  const Search& search_;
  Surrogate surrogate_;
  std::size_t learned_ = 0;
  Beliefs beliefs_;
};

// First order in the logarithms; `goal` includes the slowdown reference if it has one.
void judge_beliefs(const SearchSpace& space, const Goal& goal, const Beliefs& beliefs,
                   Outlook& outlook);

// Probability that a standard normal variable is below `z`; 0 and 1 beyond six deviations.
double normal_below(double z);

}  // namespace ridgewatt::tune
