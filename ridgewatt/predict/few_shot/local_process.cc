// GaussianProcess with many samples: predicts each point from the samples near it.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/predict/few_shot/gaussian_process.h"

namespace ridgewatt::predict {
namespace {

// See docs/methods/prediction.md.
constexpr std::size_t kNearestPoints = 64, kCellPoints = 24;
constexpr std::size_t kGroups = 3, kGroupPoints = 128;
constexpr double kLocalJitter = 1e-9;

}  // namespace

struct GaussianProcess::Near {
  FeatureMatrix x;
  Eigen::MatrixXd linear;              // times the variance of the coefficients
  Eigen::LLT<Eigen::MatrixXd> factor;  // of the covariance of y
  Eigen::VectorXd weights;
};

GaussianProcess::Near GaussianProcess::near(const Neighborhoods::Cell& cell) const {
  Near result;
  result.x = local_->x(cell.nearest, Eigen::all);
  const Eigen::MatrixXd linear = local_->linear(cell.nearest, Eigen::all);
  result.linear = linear * coefficient_variance_.asDiagonal();
  Eigen::MatrixXd covariance = kernel(result.x, result.x);
  covariance.noalias() += result.linear * linear.transpose();
  const double noise = noise_deviation() * noise_deviation();
  covariance.diagonal().array() += noise * local_->noise_scale(cell.nearest).array() + kLocalJitter;
  result.factor.compute(covariance);
  result.weights = result.factor.solve(local_->target(cell.nearest));
  return result;
}

GaussianProcess::Expected GaussianProcess::leave_out() const {
  const double noise = noise_deviation() * noise_deviation();
  Expected result{local_->target, Eigen::VectorXd::Zero(local_->target.size())};
  parallel_for(local_->where.cells().size(), [&](std::size_t i) {
    const auto& cell = local_->where.cells()[i];
    const Near process = near(cell);
    const auto own = static_cast<Eigen::Index>(cell.members.size());
    Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(process.weights.size(), own);
    std::vector<Eigen::Index> place;
    for (Eigen::Index j = 0; j < own; ++j) {
      const auto at = std::lower_bound(cell.nearest.begin(), cell.nearest.end(),
                                       cell.members[static_cast<std::size_t>(j)]);
      place.push_back(at - cell.nearest.begin());
      unit(place.back(), j) = 1;
    }
    process.factor.matrixL().solveInPlace(unit);
    const Eigen::ArrayXd left_out_variance =
        unit.colwise().squaredNorm().transpose().array().inverse();
    for (Eigen::Index j = 0; j < own; ++j) {
      const auto point = cell.members[static_cast<std::size_t>(j)];
      result.mean[point] -=
          process.weights[place[static_cast<std::size_t>(j)]] * left_out_variance[j];
      result.variance[point] =
          std::max(left_out_variance[j] - noise * (local_->noise_scale[point] - 1), noise / 4);
    }
  });
  return result;
}

void GaussianProcess::group_neighbors() {
  const Neighborhoods blocks(local_->x, lengths(), kGroupPoints, 1);
  const std::size_t count = std::min(kGroups, blocks.cells().size());
  groups_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& members = blocks.cells()[i * blocks.cells().size() / count].members;
    const Eigen::MatrixXd linear = local_->linear(members, Eigen::all);
    groups_.push_back({local_->x(members, Eigen::all),
                       linear * coefficient_variance_.asDiagonal() * linear.transpose(),
                       local_->target(members), local_->noise_scale(members)});
  }
}

void GaussianProcess::merge(const Eigen::VectorXd& target, const Eigen::MatrixXd& linear,
                            const Eigen::VectorXd& scale) {
  const auto& point = local_->where.point_of_row();
  Local& local = *local_;
  local.linear.setZero(local.x.rows(), linear.cols());
  local.target.setZero(local.x.rows());
  Eigen::VectorXd precision = Eigen::VectorXd::Zero(local.x.rows());
  for (Eigen::Index row = 0; row < target.size(); ++row) {
    const auto p = point[static_cast<std::size_t>(row)];
    precision[p] += 1 / scale[row];
    local.target[p] += target[row] / scale[row];
    local.linear.row(p) += linear.row(row) / scale[row];
  }
  local.noise_scale = precision.cwiseInverse();
  local.target.array() *= local.noise_scale.array();
  local.linear.array().colwise() *= local.noise_scale.array();
}

void GaussianProcess::condition(const FeatureMatrix& x, const Eigen::VectorXd& y,
                                const Eigen::MatrixXd& linear) {
  local_.emplace(Local{Neighborhoods(x, lengths(), kCellPoints, kNearestPoints), {}, {}, {}, {}});
  local_->x = x(local_->where.first_rows(), Eigen::all);
  const auto& point = local_->where.point_of_row();
  const Eigen::VectorXd target = y - linear * coefficient_mean_;
  merge(target, linear, Eigen::VectorXd::Ones(y.size()));
  for (int round = 0;; ++round) {
    const Expected others = leave_out();
    standardized_.resize(y.size());
    for (Eigen::Index row = 0; row < y.size(); ++row) {
      const auto p = point[static_cast<std::size_t>(row)];
      standardized_[row] = (target[row] - others.mean[p]) / std::sqrt(others.variance[p]);
    }
    if (round == options_.reweightings) break;
    merge(target, linear, noise_scales());
    group_neighbors();
    evidence_ = maximize();
  }
  if (options_.reweightings > 0) weigh_hyperparameters();
  groups_.clear();
}

void GaussianProcess::predict_local(const FeatureMatrix& x, const Eigen::MatrixXd& linear,
                                    Eigen::VectorXd& mean, Eigen::VectorXd& variance) const {
  mean = linear * coefficient_mean_;
  variance.resize(x.rows());
  const double signal = signal_variance(), noise = noise_deviation() * noise_deviation();
  const auto rows_by_cell = local_->where.rows_by_cell(x);
  parallel_for(rows_by_cell.size(), [&](std::size_t i) {
    const auto& rows = rows_by_cell[i];
    if (rows.empty()) return;
    const Near process = near(local_->where.cells()[i]);
    const Eigen::MatrixXd own = linear(rows, Eigen::all);
    Eigen::MatrixXd cross = kernel(process.x, x(rows, Eigen::all));
    cross.noalias() += process.linear * own.transpose();
    mean(rows) += cross.transpose() * process.weights;
    process.factor.matrixL().solveInPlace(cross);
    const Eigen::ArrayXd function =
        (own.array().square().matrix() * coefficient_variance_).array() + signal -
        cross.colwise().squaredNorm().transpose().array();
    variance(rows) = function.max(0) * signal_widening_ + noise * noise_widening_;
  });
}

}  // namespace ridgewatt::predict
