// Which operating points to profile next: those from which most is learned about all others.
//
// Sequential integrated-variance design (Cohn 1996; "active learning Cohn"): each next point is the
// one that lowers the predictive variance, averaged over the space, the most per unit of price.
// Under the prior of the stage model this visits the corners that tell the stages apart; after
// samples it goes where the fitted model is least certain.
#pragma once

#include <Eigen/Core>
#include <vector>

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

}  // namespace ridgewatt
