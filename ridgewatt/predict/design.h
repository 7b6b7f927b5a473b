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
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ridgewatt/predict/features.h"

namespace ridgewatt {

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

}  // namespace ridgewatt
