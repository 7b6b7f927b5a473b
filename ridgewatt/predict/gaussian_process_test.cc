#include "ridgewatt/predict/gaussian_process.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

// Functions drawn from the prior itself, hyperparameters too (Matern 5/2 written out again), over
// the clocks of CPU and GPU: the share of new noisy observations inside their 90 % interval.
double coverage_of_drawn_functions(Eigen::Index samples, int functions) {
  constexpr Eigen::Index kAsked = 20;
  const GaussianProcessOptions prior;
  Random random(5);
  double inside = 0;
  for (int trial = 0; trial < functions; ++trial) {
    const double signal = std::exp(prior.signal + prior.signal_spread * random.normal());
    const double noise = std::exp(prior.noise + prior.noise_spread * random.normal());
    const double cpu_length =
        std::exp(prior.length[kLogCpu] + prior.length_spread * random.normal());
    const double gpu_length =
        std::exp(prior.length[kLogGpu] + prior.length_spread * random.normal());
    const Eigen::Index all = samples + kAsked;
    FeatureMatrix x = FeatureMatrix::Zero(all, kFeatures);
    Eigen::VectorXd white(all), y(all);
    for (Eigen::Index i = 0; i < all; ++i) {
      x(i, kLogCpu) = random.uniform(-2, 0);
      x(i, kLogGpu) = random.uniform(-2, 0);
      white[i] = random.normal();
      y[i] = noise * random.normal();
    }
    Eigen::MatrixXd covariance(all, all);
    for (Eigen::Index i = 0; i < all; ++i) {
      for (Eigen::Index j = 0; j < all; ++j) {
        const double r = std::sqrt(5.0) * std::hypot((x(i, kLogCpu) - x(j, kLogCpu)) / cpu_length,
                                                     (x(i, kLogGpu) - x(j, kLogGpu)) / gpu_length);
        covariance(i, j) = signal * signal * (1 + r + r * r / 3) * std::exp(-r);
      }
      covariance(i, i) += 1e-12;
    }
    y += covariance.llt().matrixL() * white;
    const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(all, 1);
    GaussianProcess process;
    process.fit(x.topRows(samples), y.head(samples), ones.topRows(samples),
                Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 0.1));
    process.weigh_hyperparameters();
    Eigen::VectorXd mean, variance;
    process.predict(x.bottomRows(kAsked), ones.bottomRows(kAsked), mean, variance);
    const Eigen::ArrayXd off = (y.tail(kAsked) - mean).array().abs();
    inside += (off <= 1.645 * variance.array().sqrt()).cast<double>().mean();
  }
  return inside / functions;
}

// The predictor scales variances by leave-one-out residuals on top; here a process is on its own,
// with a robust likelihood that takes the largest residuals of normal noise for outliers.
TEST(GaussianProcess, FewSamplesAreAsHonestAsMany) {
  const double of_many = coverage_of_drawn_functions(40, 200);
  EXPECT_NEAR(of_many, 0.9, 0.05);
  EXPECT_NEAR(coverage_of_drawn_functions(6, 400), of_many, 0.04);
  EXPECT_NEAR(coverage_of_drawn_functions(12, 400), of_many, 0.04);
}

// Projected on all samples the process is itself (Quinonero-Candela and Rasmussen 2005, section 5).
TEST(GaussianProcess, ProjectedOnAllItsSamplesIsExact) {
  GaussianProcessOptions options;
  options.reweightings = 0;
  GaussianProcess process(options);
  FeatureMatrix x = FeatureMatrix::Zero(30, kFeatures), at = FeatureMatrix::Zero(7, kFeatures);
  Eigen::VectorXd y(30);
  Random random(3);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    x(i, kLogGpu) = random.uniform(-2, 0), x(i, kLogCpu) = random.uniform(-2, 0);
    y[i] = 0.1 * std::sin(3 * x(i, kLogGpu)) + 0.05 * x(i, kLogCpu) + 0.01 * random.normal();
  }
  for (Eigen::Index i = 0; i < at.rows(); ++i) at(i, kLogGpu) = -0.3 * static_cast<double>(i);
  const Eigen::MatrixXd linear = Eigen::MatrixXd::Ones(30, 1), linear_at = linear.topRows(7);
  process.fit(x, y, linear, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1));
  Eigen::VectorXd mean, variance, projected_mean, projected_variance;
  process.predict(at, linear_at, mean, variance);
  const Eigen::MatrixXd covariance = process.covariance(at, linear_at, at, linear_at);
  const Eigen::VectorXd residuals = process.standardised_residuals();
  process.condition(x, y, linear);
  process.predict(at, linear_at, projected_mean, projected_variance);
  EXPECT_LT((mean - projected_mean).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((variance - projected_variance).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((covariance - process.covariance(at, linear_at, at, linear_at)).cwiseAbs().maxCoeff(),
            1e-6);
  EXPECT_LT((residuals - process.standardised_residuals()).cwiseAbs().maxCoeff(), 1e-2);
}

}  // namespace
}  // namespace ridgewatt
