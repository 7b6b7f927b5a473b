#include "ridgewatt/numerics/posterior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

Posterior posterior(const Eigen::MatrixXd& jacobian, const std::string& where) {
  const Eigen::Index size = jacobian.cols();
  const Eigen::LDLT<Eigen::MatrixXd> normal(jacobian.transpose() * jacobian);
  const Eigen::MatrixXd inverse = normal.solve(Eigen::MatrixXd::Identity(size, size));
  const bool definite = jacobian.allFinite() && normal.info() == Eigen::Success &&
                        (normal.vectorD().array() > 0).all() && inverse.allFinite() &&
                        (inverse.diagonal().array() > 0).all();
  if (!definite) throw Error("the deviations of the fitted parameters cannot be computed", where);
  const Eigen::VectorXd deviations = inverse.diagonal().cwiseSqrt();
  Posterior known{{deviations.begin(), deviations.end()}, {}};
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      const double shared = inverse(i, j) / (deviations[i] * deviations[j]);
      known.correlations.push_back(i == j ? 1 : std::clamp(shared, -1.0, 1.0));
    }
  }
  return known;
}

double variance_along(std::span<const double> slopes, std::span<const double> deviations,
                      std::span<const double> correlations) {
  const std::size_t size = slopes.size();
  std::vector<std::size_t> steep;  // a slope of zero adds nothing
  for (std::size_t i = 0; i < size; ++i) {
    if (slopes[i] * deviations[i] != 0) steep.push_back(i);
  }
  double variance = 0;
  for (const std::size_t i : steep) {
    const double own = slopes[i] * deviations[i];
    if (correlations.empty()) {
      variance += own * own;
      continue;
    }
    for (const std::size_t j : steep) {
      variance += own * correlations[i * size + j] * slopes[j] * deviations[j];
    }
  }
  return std::max(0.0, variance);  // rounded correlations can make it slightly negative
}

double soft_l1(double scaled) {
  return std::copysign(std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), scaled);
}

}  // namespace ridgewatt
