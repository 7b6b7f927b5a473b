// Predictions of a model-based search for every point: the logarithm of the objective, and the
// probability that the limits are met. Time and power are predicted as independent log-normal
// distributions.
#pragma once

#include <vector>

#include "ridgewatt/tune/problem.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/tune/search_space.h"
#include "ridgewatt/tune/surrogate.h"

namespace ridgewatt::tune {

// Predictions, one per point of the space.
struct Outlook {
  std::vector<double> objective_mean;  // of the logarithm of the objective
  std::vector<double> objective_sd;
  std::vector<double> feasible;  // probability that all limits are met
};

// Predictions of time and power from all results of a search, which must outlive this object.
class SearchBeliefs {
 public:
  explicit SearchBeliefs(Search& search)
      : search_(search), surrogate_(search.prior(), search.options().noise) {}
  // Adds the new results of the search and predicts every point. Points in flight count as
  // outstanding results (see Beliefs). Requires at least one result.
  const Beliefs& update();
  const Beliefs& get() const { return beliefs_; }
  // Probability that the measured point `answer` meets every limit and that no other feasible point
  // is better by more than `share`. `outlook` must be computed from get(). If the noise is at most
  // kNoisy (tune/answer.h), measured values count as exact.
  double near_best(const Outlook& outlook, const Observation& answer, double share) const;

 private:
  const Search& search_;
  Surrogate surrogate_;
  std::size_t learned_ = 0;
  Beliefs beliefs_;
};

// Computes `outlook` from `beliefs` by error propagation to first order in the logarithms. `goal`
// must contain the reference of a slowdown limit, if it has one.
void judge_beliefs(const SearchSpace& space, const Goal& goal, const Beliefs& beliefs,
                   Outlook& outlook);

// Probability that a standard normal variable is below `z`. Exactly 0 or 1 if |z| >
// 6.
double normal_below(double z);

}  // namespace ridgewatt::tune
