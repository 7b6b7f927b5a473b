// Gaussian process regression with a linear part and a robust likelihood, for tens to hundreds of
// samples:
//   y = H b + f(x) + e,   b ~ N(b0, diag(d^2)),  f ~ GP(0, s^2 Matern 5/2, one length a feature),
//   e ~ Student-t, as normal noise whose variance is scaled per sample (Rasmussen and Williams
//   2006, chapters 2 and 5; the scale mixture of the t distribution, fitted by reweighting).
// Hyperparameters maximize the marginal likelihood times log-normal priors; their uncertainty (the
// curvature at the maximum, Laplace's approximation) widens the predictions.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "ridgewatt/predict/features.h"
#include "ridgewatt/predict/few_shot/neighborhoods.h"

namespace ridgewatt::predict {

struct GaussianProcessOptions {
  // Prior of ln(signal deviation), ln(length), ln(noise deviation): mean and standard deviation.
  double signal = -3.0, signal_spread = 0.7;
  Eigen::Matrix<double, kFeatures, 1> length = Eigen::Matrix<double, kFeatures, 1>::Constant(0.4);
  double length_spread = 0.6;
  double noise = -4.2, noise_spread = 0.7;
  double degrees_of_freedom = 4;  // of the Student-t noise
  int reweightings = 1;
  int max_iterations = 40;  // of the optimizer, a reweighting
};

class GaussianProcess {
 public:
  explicit GaussianProcess(const GaussianProcessOptions& options = {}) : options_(options) {}

  // x: one row per sample. linear: H. A later fit starts from the hyperparameters of the previous
  // one.
  void fit(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear,
           const Eigen::VectorXd& coefficient_mean, const Eigen::VectorXd& coefficient_deviation);
  // Widens all later predictions by the uncertainty of the hyperparameters. Call it once, after the
  // last fit: it costs as much as a dozen steps of one.
  void weigh_hyperparameters();
  // For many more samples than fit() can take, after a fit on a part of them: fits the
  // hyperparameters again by the likelihood of groups of neighbors taken as independent (Varin,
  // Reid and Firth 2011), which then is the evidence, too. Each point is learned exactly from its
  // nearest samples (Vecchia 1988). Rows of one point count as one, with their mean and
  // proportionally less noise, which is equivalent. The cost is linear in the samples.
  void condition(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear);
  // Mean and variance of a new noisy observation at each row. After weigh_hyperparameters, the
  // variances of function and noise (including the linear part) are uncertain with a log-normal
  // distribution each, so the variance is that of the normal distribution with the same 90 %
  // interval as the mixture; other intervals are approximate.
  void predict(const FeatureMatrix& x, const Eigen::MatrixXd& linear, Eigen::VectorXd& mean,
               Eigen::VectorXd& variance) const;

  // Covariance of the noise-free function between the rows of `a` and of `b`, given the samples of
  // fit() (or under the prior: call use_prior first).
  Eigen::MatrixXd covariance(const FeatureMatrix& a, const Eigen::MatrixXd& linear_a,
                             const FeatureMatrix& b, const Eigen::MatrixXd& linear_b) const;
  // Hyperparameters at the center of their prior and no samples.
  void use_prior(const Eigen::VectorXd& coefficient_mean,
                 const Eigen::VectorXd& coefficient_deviation);

  // Log marginal likelihood at the hyperparameters, with their prior.
  double evidence() const { return evidence_; }
  // Covariance of f + e between the samples.
  Eigen::MatrixXd residual_covariance() const;
  // Leave-one-out residuals divided by the deviation of a new observation (Rasmussen and Williams,
  // 5.10 and 5.12), with the hyperparameters at their most likely values.
  const Eigen::VectorXd& standardized_residuals() const { return standardized_; }
  double noise_deviation() const;
  double signal_variance() const;
  Eigen::Matrix<double, kFeatures, 1> lengths() const;
  // Kernel between two sets of points, s^2 Matern 5/2.
  Eigen::MatrixXd kernel(const FeatureMatrix& a, const FeatureMatrix& b) const;

 private:
  void reset_hyperparameters();
  // The samples of the current likelihood.
  struct Group {
    FeatureMatrix x;
    Eigen::MatrixXd linear_covariance;
    Eigen::VectorXd centered, noise_scale;
  };
  double add_negative_log_likelihood(const Group& group, const Eigen::VectorXd& hyper,
                                     Eigen::VectorXd& gradient) const;
  // Moves the hyperparameters to the maximum of the posterior; returns its logarithm.
  double maximize();
  void group_neighbors();
  // The next noise scales of the Student-t noise, from the standardized residuals.
  Eigen::VectorXd noise_scales() const;
  double negative_log_posterior(const Eigen::VectorXd& hyper, Eigen::VectorXd& gradient) const;
  void factorize();
  // The samples of condition(), one row per distinct point.
  struct Local {
    Neighborhoods where;
    FeatureMatrix x;
    Eigen::MatrixXd linear;
    Eigen::VectorXd target, noise_scale;
  };
  // The process given the points nearest to a cell.
  struct Near;
  Near near(const Neighborhoods::Cell& cell) const;
  // All samples, merged by point.
  void merge(const Eigen::VectorXd& target, const Eigen::MatrixXd& linear,
             const Eigen::VectorXd& scale);
  // Means and variances of new noisy observations.
  struct Expected {
    Eigen::VectorXd mean, variance;
  };
  // At all points of condition(), each predicted from the others.
  Expected leave_out() const;
  void predict_local(const FeatureMatrix& x, const Eigen::MatrixXd& linear, Eigen::VectorXd& mean,
                     Eigen::VectorXd& variance) const;

  GaussianProcessOptions options_;
  Eigen::VectorXd hyper_;  // ln signal, ln length a feature, ln noise
  // of the variances, because hyper_ is uncertain
  double signal_widening_ = 1, noise_widening_ = 1;
  FeatureMatrix x_;
  Eigen::MatrixXd linear_, linear_covariance_;
  Eigen::VectorXd coefficient_mean_, coefficient_variance_, centered_, noise_scale_;
  Eigen::MatrixXd factor_;  // lower Cholesky factor of the covariance of y
  Eigen::VectorXd weights_, standardized_;
  double evidence_ = 0;
  std::vector<Group> groups_;   // taken as independent; after fit() one
  std::optional<Local> local_;  // after condition()
};

}  // namespace ridgewatt::predict
