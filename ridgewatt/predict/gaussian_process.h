// Gaussian process regression with a linear part and a robust likelihood, for tens to hundreds of
// samples:
//   y = H b + f(x) + e,   b ~ N(b0, diag(d^2)),  f ~ GP(0, s^2 Matern 5/2, one length a feature),
//   e ~ Student-t, as normal noise whose variance is scaled per sample (Rasmussen and Williams
//   2006, chapters 2 and 5; the scale mixture of the t distribution, fitted by reweighting).
// Hyperparameters are the maximum of marginal likelihood times log-normal priors; how far they are
// from known (the curvature there, Laplace's approximation) widens what is predicted.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "ridgewatt/predict/features.h"

namespace ridgewatt {

struct GaussianProcessOptions {
  // Prior of ln(signal deviation), ln(length), ln(noise deviation): mean and standard deviation.
  double signal = -3.0, signal_spread = 0.7;
  Eigen::Matrix<double, kFeatures, 1> length = Eigen::Matrix<double, kFeatures, 1>::Constant(0.4);
  double length_spread = 0.6;
  double noise = -4.2, noise_spread = 0.7;
  double degrees_of_freedom = 4;  // of the Student-t noise
  int reweightings = 1;
  int max_iterations = 40;  // of the optimiser, a reweighting
};

class GaussianProcess {
 public:
  explicit GaussianProcess(const GaussianProcessOptions& options = {}) : options_(options) {}

  // x: one row a sample. linear: H. A second fit starts from the hyperparameters of the first.
  void fit(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear,
           const Eigen::VectorXd& coefficient_mean, const Eigen::VectorXd& coefficient_deviation);
  // Widens what is predicted from here on by how far the hyperparameters are from known. Once,
  // after the last fit: it costs as much as a dozen steps of one.
  void weigh_hyperparameters();
  // With many more samples than fit() can take: keeps the hyperparameters and the basis that fit()
  // found on a part of them and learns from all, y = H b + f(x) + e, where f is projected on the
  // part (the fully independent training conditional: Snelson and Ghahramani 2006;
  // Quinonero-Candela and Rasmussen 2005). Costs rows x part^2.
  void condition(const FeatureMatrix& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& linear);
  // Mean and variance of a new noisy observation at each row. Once weighed, the variances of
  // function and noise (with the linear part) are uncertain by their own log-normal, so the
  // variance is that of the normal distribution with the same 90 % interval as the mixture; other
  // intervals are approximate.
  void predict(const FeatureMatrix& x, const Eigen::MatrixXd& linear, Eigen::VectorXd& mean,
               Eigen::VectorXd& variance) const;

  // Covariance of the noise-free function between the rows of `a` and of `b`, given the samples (or
  // under the prior before any: call use_prior first).
  Eigen::MatrixXd covariance(const FeatureMatrix& a, const Eigen::MatrixXd& linear_a,
                             const FeatureMatrix& b, const Eigen::MatrixXd& linear_b) const;
  // Hyperparameters at the centre of their prior and no samples.
  void use_prior(const Eigen::VectorXd& coefficient_mean,
                 const Eigen::VectorXd& coefficient_deviation);

  // Log marginal likelihood at the hyperparameters, with their prior.
  double evidence() const { return evidence_; }
  // Covariance of f + e between the samples.
  Eigen::MatrixXd residual_covariance() const;
  // Leave-one-out residuals divided by the deviation of a new observation there (Rasmussen and
  // Williams, 5.10 and 5.12), hyperparameters at their most likely values.
  const Eigen::VectorXd& standardised_residuals() const { return standardised_; }
  double noise_deviation() const;
  // Kernel between two sets of points, s^2 Matern 5/2.
  Eigen::MatrixXd kernel(const FeatureMatrix& a, const FeatureMatrix& b) const;

 private:
  void reset_hyperparameters();
  double negative_log_posterior(const Eigen::VectorXd& hyper, Eigen::VectorXd& gradient) const;
  void factorise();
  // The samples of condition() as a linear model of independent unit weights: H's coefficients,
  // then f at the part's points, whitened.
  struct Projection {
    Eigen::MatrixXd part_factor;       // lower Cholesky factor of the kernel between the part
    Eigen::MatrixXd precision_factor;  // of the weights' posterior precision
    Eigen::VectorXd weights;           // posterior mean
  };
  // Rows of the linear model: one per row of `x`, a column per weight.
  Eigen::MatrixXd projected(const FeatureMatrix& x, const Eigen::MatrixXd& linear) const;
  void learn_projected(const Eigen::MatrixXd& basis, const Eigen::VectorXd& target,
                       const Eigen::VectorXd& unexplained);

  GaussianProcessOptions options_;
  Eigen::VectorXd hyper_;                            // ln signal, ln length a feature, ln noise
  double signal_widening_ = 1, noise_widening_ = 1;  // of the variances, hyper_ being uncertain
  FeatureMatrix x_;
  Eigen::MatrixXd linear_, linear_covariance_;
  Eigen::VectorXd coefficient_mean_, coefficient_variance_, centred_, noise_scale_;
  Eigen::MatrixXd factor_;  // lower Cholesky factor of the covariance of y
  Eigen::VectorXd weights_, standardised_;
  double evidence_ = 0;
  std::optional<Projection> projection_;  // after condition()
};

}  // namespace ridgewatt
