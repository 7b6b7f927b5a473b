#include "ridgewatt/predict/design.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::predict {

std::vector<std::size_t> choose_design(std::vector<DesignQuantity> quantities,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count) {
  std::vector<std::size_t> chosen;
  const Eigen::ArrayXd discount = price.array().pow(-price_exponent);
  while (chosen.size() < count) {
    Eigen::ArrayXd gain = Eigen::ArrayXd::Zero(price.size());
    for (const auto& quantity : quantities) {
      const Eigen::ArrayXd variance =
          quantity.candidate_candidate.diagonal().array() + quantity.noise_variance;
      const Eigen::ArrayXd reduction =
          quantity.candidate_target.rowwise().squaredNorm().array() / variance;
      // As a share of the quantity's total, so that time and power have the same weight.
      gain += reduction / std::max(reduction.sum(), 1e-300);
    }
    gain *= discount;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < gain.size(); ++i) {
      if (excluded[static_cast<std::size_t>(i)]) continue;
      if (best < 0 || gain[i] > gain[best]) best = i;
    }
    if (best < 0) break;
    chosen.push_back(static_cast<std::size_t>(best));
    excluded[static_cast<std::size_t>(best)] = true;
    for (auto& quantity : quantities) {
      const Eigen::VectorXd column = quantity.candidate_candidate.col(best);
      const Eigen::RowVectorXd row = quantity.candidate_target.row(best);
      const double variance = column[best] + quantity.noise_variance;
      quantity.candidate_target.noalias() -= column * row / variance;
      quantity.candidate_candidate.noalias() -= column * column.transpose() / variance;
    }
  }
  return chosen;
}

namespace {

// Product of exponentials. Unlike a Gaussian, it also decreases at short distances.
Eigen::ArrayXXd similarity(const FeatureMatrix& a, const FeatureMatrix& b,
                           const Eigen::Matrix<double, kFeatures, 1>& lengths) {
  Eigen::ArrayXXd distance = Eigen::ArrayXXd::Zero(a.rows(), b.rows());
  for (Eigen::Index f = 0; f < kFeatures; ++f) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      distance.col(j) += (a.col(f).array() - b(j, f)).abs() / lengths[f];
    }
  }
  return (-distance).exp();
}

}  // namespace

std::vector<std::size_t> choose_spread(const FeatureMatrix& candidates,
                                       const FeatureMatrix& sampled,
                                       const Eigen::Matrix<double, kFeatures, 1>& lengths,
                                       const Eigen::VectorXd& price, double price_exponent,
                                       std::vector<bool> excluded, std::size_t count) {
  const Eigen::ArrayXXd among = similarity(candidates, candidates, lengths);
  const Eigen::ArrayXd density = among.rowwise().mean();
  Eigen::ArrayXd taken = similarity(candidates, sampled, lengths).rowwise().sum();
  const Eigen::ArrayXd handicap = price_exponent * (price.array() / price.minCoeff()).log();
  const double scale = density.mean();
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    const auto size = static_cast<double>(static_cast<std::size_t>(sampled.rows()) + chosen.size());
    Eigen::Index best = -1;
    double most = 0;
    for (Eigen::Index i = 0; i < density.size(); ++i) {
      if (excluded[static_cast<std::size_t>(i)]) continue;
      const double gain = density[i] - taken[i] / (size + 1) - scale * handicap[i];
      if (best < 0 || gain > most) best = i, most = gain;
    }
    if (best < 0) break;
    chosen.push_back(static_cast<std::size_t>(best));
    excluded[static_cast<std::size_t>(best)] = true;
    taken += among.col(best);
  }
  return chosen;
}

std::vector<double> PowerBudgets::values_w() const {
  constexpr double kMost = 10000, kRounding = 1e-9;
  const double steps = std::floor((most_w - least_w) / step_w + kRounding);
  if (!(least_w > 0 && most_w >= least_w && step_w > 0 && steps < kMost)) {
    throw UsageError("power budgets must be positive, in ascending order, and at most 10,000");
  }
  std::vector<double> values;
  for (int i = 0; i <= static_cast<int>(steps); ++i) values.push_back(least_w + i * step_w);
  return values;
}

std::optional<std::size_t> choose_for_budgets(const CostBeliefs& beliefs,
                                              std::span<const double> budgets_w,
                                              std::span<const Observation> measured,
                                              const std::vector<bool>& excluded) {
  constexpr double kLeastGain = 1e-9;  // a smaller gain counts as none
  struct Budget {
    double log_power;
    // Least ln(time) so far; if no sample meets the budget, that of the slowest candidate.
    double fastest;
  };
  std::vector<Budget> budgets;
  for (const double budget_w : budgets_w) {
    Budget budget{std::log(budget_w), beliefs.log_time.maxCoeff()};
    for (const auto& one : measured) {
      if (one.power_w > budget_w) continue;
      const double log_time = std::log(one.time_s / std::max(one.point.batch, 1));
      budget.fastest = std::min(budget.fastest, log_time);
    }
    budgets.push_back(budget);
  }
  std::optional<std::size_t> best;
  double most = kLeastGain;
  for (Eigen::Index i = 0; i < beliefs.log_time.size(); ++i) {
    if (excluded[static_cast<std::size_t>(i)]) continue;
    double gain = 0;
    for (const auto& budget : budgets) {
      gain += expected_improvement(beliefs.log_time[i], beliefs.time_deviation[i], budget.fastest) *
              normal_cdf((budget.log_power - beliefs.log_power[i]) / beliefs.power_deviation[i]);
    }
    if (gain > most) best = static_cast<std::size_t>(i), most = gain;
  }
  return best;
}

}  // namespace ridgewatt::predict
