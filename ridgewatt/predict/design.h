// Chooses the operating points to profile next: those that give the most information about all
// points.
//
// The first points are chosen by variance, to determine the parameters of a structured model:
// sequential integrated-variance design (Cohn 1996; "active learning Cohn"). Each next point is the
// one that reduces the predictive variance, averaged over the space, the most per unit of price.
// Under the prior of the stage model, these points are the corners that separate the stages. After
// some samples, these points are those at which the fitted model is least certain.
//
// Once the structure is known, the remaining effects are local, and the points should be
// distributed like the space: kernel herding (Chen, Welling and Smola 2010) keeps the distribution
// of the sample close to that of the space.
//
// For a user who only needs the fastest point within a power budget, the next point is the one with
// the largest expected improvement within the budgets.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/predict/features.h"
#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::predict {

// Prior covariance of a quantity between candidate points (rows) and target points (columns), the
// variance of each candidate, and the variance of the noise.
struct DesignQuantity {
  Eigen::MatrixXd candidate_target;
  Eigen::MatrixXd candidate_candidate;
  double noise_variance = 0;
};

// Indices of `count` candidates in the order of choice. `price` is the price of each candidate (>
// 0); the gain of a candidate is divided by price^price_exponent. Candidates flagged in `excluded`
// are never chosen.
std::vector<std::size_t> choose_design(std::vector<DesignQuantity> quantities,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count);

// The `count` rows of `candidates` whose distribution, together with the rows of `sampled`, is most
// similar to that of all candidates. `lengths` is the scale of each feature. `price`,
// `price_exponent` and `excluded` are as in choose_design.
std::vector<std::size_t> choose_spread(const FeatureMatrix& candidates,
                                       const FeatureMatrix& sampled,
                                       const Eigen::Matrix<double, kFeatures, 1>& lengths,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count);

// Normal distributions of ln(time of a sample / s) and ln(power / W) of each candidate, taken as
// independent; deviations must be positive.
struct CostBeliefs {
  Eigen::VectorXd log_time, time_deviation, log_power, power_deviation;
};

// The candidate with the largest sum over the budgets of: expected improvement of ln(time)
// times the probability of staying within the budget (Gardner et al. 2014). Over a range of
// budgets this is the expected hypervolume improvement of the front (Emmerich 2006). `measured`
// are known results at any points. Empty if no candidate is expected to be faster within a
// budget.
std::optional<std::size_t> choose_for_budgets(const CostBeliefs& beliefs,
                                              std::span<const double> budgets_w,
                                              std::span<const Observation> measured,
                                              const std::vector<bool>& excluded);

}  // namespace ridgewatt::predict
