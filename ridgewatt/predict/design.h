// Which operating points to profile next: those from which most is learned about all others.
//
// The first ones by variance, which tells the parameters of a structured model apart:
// Sequential integrated-variance design (Cohn 1996; "active learning Cohn"): each next point is the
// one that lowers the predictive variance, averaged over the space, the most per unit of price.
// Under the prior of the stage model this visits the corners that tell the stages apart; after
// samples it goes where the fitted model is least certain.
//
// With the structure known, what is left is local, and the points had better be spread as the space
// is: kernel herding (Chen, Welling and Smola 2010) keeps the sample's distribution close to it.
//
// Who only asks for the fastest point within a budget of power need not know the others: then the
// next point is the one from which most is expected within the budgets.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/predict/features.h"

namespace ridgewatt::predict {

// Prior covariance of a quantity between candidate points (rows) and target points (columns), the
// variance of each candidate, and the variance of the noise.
struct DesignQuantity {
  Eigen::MatrixXd candidate_target;
  Eigen::MatrixXd candidate_candidate;
  double noise_variance = 0;
};

// Indices of `count` candidates in the order chosen. `price` weighs each candidate (> 0): a gain
// counts as gain / price^price_exponent. Candidates flagged in `excluded` are never chosen.
std::vector<std::size_t> choose_design(std::vector<DesignQuantity> quantities,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count);

// The `count` rows of `candidates` that, together with the rows of `sampled`, are distributed most
// like the candidates themselves; `lengths` is the scale of each feature on which that is judged.
// Prices and exclusions as above.
std::vector<std::size_t> choose_spread(const FeatureMatrix& candidates,
                                       const FeatureMatrix& sampled,
                                       const Eigen::Matrix<double, kFeatures, 1>& lengths,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count);

// Budgets of power, from least to most in equal steps.
struct PowerBudgets {
  double least_w = 17, most_w = 50, step_w = 1;
  // UsageError unless all are positive and finite, in order and at most 10,000.
  std::vector<double> values_w() const;
};

// Normal beliefs about ln(time of a sample / s) and ln(power / W) of candidates, taken as
// independent; deviations > 0.
struct CostBeliefs {
  Eigen::VectorXd log_time, time_deviation, log_power, power_deviation;
};

// The candidate with the largest expected improvement of ln(time) within a budget times the
// probability of keeping it (Gardner et al. 2014), summed over the budgets: the expected
// hypervolume improvement of the front (Emmerich 2006) over a range of power. `measured` is what is
// known already, of any points. None where no candidate is expected to keep a budget and be faster.
std::optional<std::size_t> choose_for_budgets(const CostBeliefs& beliefs,
                                              std::span<const double> budgets_w,
                                              std::span<const Observation> measured,
                                              const std::vector<bool>& excluded);

}  // namespace ridgewatt::predict
