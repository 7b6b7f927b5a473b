#include "ridgewatt/predict/few_shot/gaussian_process.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/numerics/kernels.h"
#include "ridgewatt/numerics/minimize.h"

namespace ridgewatt::predict {
namespace {

constexpr double kJitter = 1e-9;
constexpr Eigen::Index kSignal = 0, kLength = 1, kNoise = 1 + kFeatures, kHyper = 2 + kFeatures;

// sqrt(5) times the scaled distance between rows of a and b.
Eigen::MatrixXd scaled_distance(const FeatureMatrix& a, const FeatureMatrix& b,
                                const Eigen::VectorXd& hyper) {
  const Eigen::Matrix<double, 1, kFeatures> scale =
      std::sqrt(5.0) * (-hyper.segment<kFeatures>(kLength).transpose()).array().exp();
  const FeatureMatrix p = a.array().rowwise() * scale.array();
  const FeatureMatrix q = b.array().rowwise() * scale.array();
  Eigen::MatrixXd squared = -2 * p * q.transpose();
  squared.colwise() += p.rowwise().squaredNorm();
  squared.rowwise() += q.rowwise().squaredNorm().transpose();
  return squared.array().max(0).sqrt();
}

}  // namespace

Eigen::MatrixXd GaussianProcess::kernel(const FeatureMatrix& a, const FeatureMatrix& b) const {
  const Eigen::ArrayXXd r = scaled_distance(a, b, hyper_).array();
  return std::exp(2 * hyper_[kSignal]) * matern52_polynomial(r) * (-r).exp();
}

double GaussianProcess::noise_deviation() const {
  return std::exp(hyper_[kNoise]);
}

double GaussianProcess::signal_variance() const {
  return std::exp(2 * hyper_[kSignal]);
}

Eigen::Matrix<double, kFeatures, 1> GaussianProcess::lengths() const {
  return hyper_.segment<kFeatures>(kLength).array().exp();
}

Eigen::VectorXd GaussianProcess::noise_scales() const {
  // Expectation of the t distribution's scale, given the leave-one-out residuals.
  const double dof = options_.degrees_of_freedom;
  return ((dof + standardized_.array().square()) / (dof + 1)).max(1).min(100);
}

double GaussianProcess::add_negative_log_likelihood(const Group& group,
                                                    const Eigen::VectorXd& hyper,
                                                    Eigen::VectorXd& gradient) const {
  const FeatureMatrix& x = group.x;
  const Eigen::Index n = x.rows();
  const Eigen::ArrayXXd r = scaled_distance(x, x, hyper).array();
  const Eigen::ArrayXXd decay = std::exp(2 * hyper[kSignal]) * (-r).exp();
  const Eigen::ArrayXXd signal = matern52_polynomial(r) * decay;
  const Eigen::ArrayXd noise = std::exp(2 * hyper[kNoise]) * group.noise_scale.array();
  Eigen::MatrixXd covariance = group.linear_covariance + signal.matrix();
  covariance.diagonal().array() += noise + kJitter;
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd weights = factor.solve(group.centered);
  const double value =
      0.5 * group.centered.dot(weights) + factor.matrixLLT().diagonal().array().log().sum();
  // dL/dtheta = tr((C^-1 - a a^T) dC/dtheta) / 2.
  Eigen::MatrixXd sensitivity = factor.solve(Eigen::MatrixXd::Identity(n, n));
  sensitivity.noalias() -= weights * weights.transpose();
  gradient[kSignal] += (sensitivity.array() * signal).sum();
  gradient[kNoise] += (sensitivity.diagonal().array() * noise).sum();
  const Eigen::ArrayXXd slope = sensitivity.array() * decay * (1 + r) * (5.0 / 3.0);
  for (Eigen::Index f = 0; f < kFeatures; ++f) {
    const Eigen::ArrayXd column = x.col(f).array();
    if (column.maxCoeff() - column.minCoeff() < 1e-12) continue;
    const double inverse = std::exp(-2 * hyper[kLength + f]);
    double sum = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      sum += (slope.col(j) * (column - column[j]).square()).sum();
    }
    gradient[kLength + f] += 0.5 * inverse * sum;
  }
  return value;
}

double GaussianProcess::negative_log_posterior(const Eigen::VectorXd& hyper,
                                               Eigen::VectorXd& gradient) const {
  gradient.setZero(kHyper);
  double value = 0;
  for (const auto& group : groups_) value += add_negative_log_likelihood(group, hyper, gradient);
  const auto add_prior = [&](Eigen::Index i, double mean, double spread) {
    const double z = (hyper[i] - mean) / spread;
    value += z * z / 2;
    gradient[i] += z / spread;
  };
  add_prior(kSignal, options_.signal, options_.signal_spread);
  for (Eigen::Index f = 0; f < kFeatures; ++f) {
    add_prior(kLength + f, options_.length[f], options_.length_spread);
  }
  add_prior(kNoise, options_.noise, options_.noise_spread);
  return value;
}

void GaussianProcess::factorize() {
  Eigen::MatrixXd covariance = linear_covariance_ + residual_covariance();
  covariance.diagonal().array() += kJitter;
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  factor_ = factor.matrixL();
  weights_ = factor.solve(centered_);
  const Eigen::ArrayXd left_out_variance =
      factor.solve(Eigen::MatrixXd::Identity(x_.rows(), x_.rows())).diagonal().array().inverse();
  const double noise = std::exp(2 * hyper_[kNoise]);
  const Eigen::ArrayXd variance =
      (left_out_variance - noise * (noise_scale_.array() - 1)).max(noise / 4);
  standardized_ = weights_.array() * left_out_variance / variance.sqrt();
}

void GaussianProcess::weigh_hyperparameters() {
  constexpr double kStep = 0.05;
  // The 90 % interval of x exp(u), x ~ N(0, 1), u ~ N(0, s^2), is as wide as that of a normal
  // distribution of variance exp(1.6 s^2), to 4 % for s up to 0.7 (by simulation).
  constexpr double kWidening = 1.6;
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(kHyper, kHyper);
  Eigen::VectorXd above, below;
  for (Eigen::Index i = 0; i < kHyper; ++i) {
    Eigen::VectorXd hyper = hyper_;
    hyper[i] += kStep;
    bool known = std::isfinite(negative_log_posterior(hyper, above));
    hyper[i] -= 2 * kStep;
    known = std::isfinite(negative_log_posterior(hyper, below)) && known;
    if (known) curvature.col(i) = (above - below) / (2 * kStep);
  }
  const EigenPairs eigen = symmetric_eigen((curvature + curvature.transpose()) / 2);
  // The prior limits the variance in directions in which the optimum is not sharp.
  const double least = 1 / std::pow(std::max(options_.signal_spread, options_.noise_spread), 2);
  const Eigen::VectorXd precision = eigen.values.cwiseMax(least);
  const auto variance = [&](Eigen::Index i) {
    return (eigen.vectors.row(i).transpose().array().square() / precision.array()).sum();
  };
  signal_widening_ = std::exp(kWidening * variance(kSignal));
  noise_widening_ = std::exp(kWidening * variance(kNoise));
}

void GaussianProcess::reset_hyperparameters() {
  hyper_.resize(kHyper);
  hyper_.segment<kFeatures>(kLength) = options_.length;
  hyper_[kSignal] = options_.signal;
  hyper_[kNoise] = options_.noise;
}

void GaussianProcess::use_prior(const Eigen::VectorXd& coefficient_mean,
                                const Eigen::VectorXd& coefficient_deviation) {
  reset_hyperparameters();
  coefficient_mean_ = coefficient_mean;
  coefficient_variance_ = coefficient_deviation.array().square();
  signal_widening_ = noise_widening_ = 1;
  x_.resize(0, kFeatures);
  linear_.resize(0, coefficient_mean.size());
  weights_.resize(0);
  factor_.resize(0, 0);
  local_.reset();
}

Eigen::MatrixXd GaussianProcess::covariance(const FeatureMatrix& a, const Eigen::MatrixXd& linear_a,
                                            const FeatureMatrix& b,
                                            const Eigen::MatrixXd& linear_b) const {
  const auto prior = [&](const FeatureMatrix& p, const Eigen::MatrixXd& linear_p,
                         const FeatureMatrix& q, const Eigen::MatrixXd& linear_q) {
    Eigen::MatrixXd result = kernel(p, q);
    result.noalias() += (linear_p * coefficient_variance_.asDiagonal()) * linear_q.transpose();
    return result;
  };
  Eigen::MatrixXd result = prior(a, linear_a, b, linear_b);
  if (x_.rows() == 0) return result;
  Eigen::MatrixXd to_a = prior(x_, linear_, a, linear_a), to_b = prior(x_, linear_, b, linear_b);
  factor_.triangularView<Eigen::Lower>().solveInPlace(to_a);
  factor_.triangularView<Eigen::Lower>().solveInPlace(to_b);
  result.noalias() -= to_a.transpose() * to_b;
  return result;
}

void GaussianProcess::fit(const FeatureMatrix& x, const Eigen::VectorXd& y,
                          const Eigen::MatrixXd& linear, const Eigen::VectorXd& coefficient_mean,
                          const Eigen::VectorXd& coefficient_deviation) {
  if (hyper_.size() == 0) reset_hyperparameters();
  signal_widening_ = noise_widening_ = 1;
  local_.reset();
  if (noise_scale_.size() != x.rows()) noise_scale_.setOnes(x.rows());
  x_ = x;
  linear_ = linear;
  coefficient_mean_ = coefficient_mean;
  coefficient_variance_ = coefficient_deviation.array().square();
  linear_covariance_ = linear * coefficient_variance_.asDiagonal() * linear.transpose();
  centered_ = y - linear * coefficient_mean;
  for (int round = 0;; ++round) {
    groups_ = {{x_, linear_covariance_, centered_, noise_scale_}};
    evidence_ = maximize();
    factorize();
    if (round == options_.reweightings) break;
    noise_scale_ = noise_scales();
  }
}

double GaussianProcess::maximize() {
  MinimizeOptions minimize;
  minimize.max_iterations = options_.max_iterations;
  minimize.gradient_tolerance = 0.02;
  return -minimize_bfgs(
      [this](const Eigen::VectorXd& h, Eigen::VectorXd& g) { return negative_log_posterior(h, g); },
      hyper_, minimize);
}

Eigen::MatrixXd GaussianProcess::residual_covariance() const {
  Eigen::MatrixXd covariance = kernel(x_, x_);
  covariance.diagonal() += std::exp(2 * hyper_[kNoise]) * noise_scale_;
  return covariance;
}

void GaussianProcess::predict(const FeatureMatrix& x, const Eigen::MatrixXd& linear,
                              Eigen::VectorXd& mean, Eigen::VectorXd& variance) const {
  if (local_) return predict_local(x, linear, mean, variance);
  Eigen::MatrixXd cross = kernel(x_, x);  // samples x points
  cross.noalias() += (linear_ * coefficient_variance_.asDiagonal()) * linear.transpose();
  mean = linear * coefficient_mean_ + cross.transpose() * weights_;
  factor_.triangularView<Eigen::Lower>().solveInPlace(cross);
  variance = (linear.array().square().matrix() * coefficient_variance_).array() +
             std::exp(2 * hyper_[kSignal]) - cross.colwise().squaredNorm().transpose().array();
  variance =
      variance.array().max(0) * signal_widening_ + std::exp(2 * hyper_[kNoise]) * noise_widening_;
}

}  // namespace ridgewatt::predict
