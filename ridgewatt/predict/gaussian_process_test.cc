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

}  // namespace
}  // namespace ridgewatt
