// Gaussian process regression with a linear part and a robust likelihood, for tens to hundreds of
// samples:
//   y = H b + f(x) + e,   b ~ N(b0, diag(d^2)),  f ~ GP(0, s^2 Matern 5/2, one length a feature),
//   e ~ Student-t, as normal noise with its variance scaled per sample (Rasmussen and Williams
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
  int max_iterations = 40;  // of the optimizer, per reweighting
};

class GaussianProcess {
 public:
  explicit GaussianProcess(const GaussianProcessOptions& options = {}) : options_(options) {}

  // `x` has one row per sample, `linear` is H. A second fit starts at the hyperparameters of the
  // first.
  void fit(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear,
           const Eigen::VectorXd& coefficient_mean, const Eigen::VectorXd& coefficient_deviation);
  // Widens all later predictions by the uncertainty of the hyperparameters. Call it once after the
  // last fit; it costs about a dozen optimizer steps.
  void weigh_hyperparameters();
  // Learns from many more samples than fit() can handle; call after a fit to a subset. The
  // hyperparameters are fitted again by the likelihood of groups of neighbors that are taken as
  // independent (Varin, Reid and Firth 2011). This likelihood also becomes the evidence. A
  // prediction uses the nearest samples exactly (Vecchia 1988). Rows of the same point become one
  // row with their mean and proportionally less noise, which is equivalent. The cost is linear in
  // the number of samples.
  void condition(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear);
  // Mean and variance of a new noisy observation at each row. After weigh_hyperparameters(), the
  // variances of function and noise (including the linear part) each have a log-normal
  // distribution. The variance returned is that of a normal distribution with the same 90 %
  // interval as this mixture; other intervals are approximate.
  void predict(const FeatureMatrix& x, const Eigen::MatrixXd& linear, Eigen::VectorXd& mean,
               Eigen::VectorXd& variance) const;

  // Covariance of the noise-free function between the rows of `a` and of `b`, given the samples of
  // fit() or, after use_prior(), by the prior.
  Eigen::MatrixXd covariance(const FeatureMatrix& a, const Eigen::MatrixXd& linear_a,
                             const FeatureMatrix& b, const Eigen::MatrixXd& linear_b) const;
  // Sets the hyperparameters to the center of their prior and removes all samples.
  void use_prior(const Eigen::VectorXd& coefficient_mean,
                 const Eigen::VectorXd& coefficient_deviation);

  // Log marginal likelihood at the hyperparameters, including their prior.
  double evidence() const { return evidence_; }
  // Covariance of f + e between the samples.
  Eigen::MatrixXd residual_covariance() const;
  // Leave-one-out residuals divided by the deviation of a new observation (Rasmussen and Williams,
  // 5.10 and 5.12), at the most likely hyperparameters.
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
  // Maximizes the posterior of the hyperparameters; returns the logarithm of the maximum.
  double maximize();
  void group_neighbors();
  // Noise scales of the samples for the next reweighting, from the standardized residuals.
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
  // The process conditioned on the points nearest to a cell.
  struct Near;
  Near near(const Neighborhoods::Cell& cell) const;
  // Merges all samples by point.
  void merge(const Eigen::VectorXd& target, const Eigen::MatrixXd& linear,
             const Eigen::VectorXd& scale);
  // Means and variances of new noisy observations.
  struct Expected {
    Eigen::VectorXd mean, variance;
  };
  // Returns the predictions at all points of condition(), each from the other points.
  Expected leave_out() const;
  void predict_local(const FeatureMatrix& x, const Eigen::MatrixXd& linear, Eigen::VectorXd& mean,
                     Eigen::VectorXd& variance) const;

  GaussianProcessOptions options_;
  Eigen::VectorXd hyper_;  // ln signal, ln length per feature, ln noise
  // Factors on the variances, since hyper_ is uncertain.
  double signal_widening_ = 1, noise_widening_ = 1;
  FeatureMatrix x_;
  Eigen::MatrixXd linear_, linear_covariance_;
  Eigen::VectorXd coefficient_mean_, coefficient_variance_, centered_, noise_scale_;
  Eigen::MatrixXd factor_;  // lower Cholesky factor of the covariance of y
  Eigen::VectorXd weights_, standardized_;
  double evidence_ = 0;
  std::vector<Group> groups_;   // taken as independent; one group after fit()
  std::optional<Local> local_;  // set by condition()
};

}  // namespace ridgewatt::predict
