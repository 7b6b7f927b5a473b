#include "ridgewatt/predict/few_shot/gaussian_process.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/random.h"

namespace ridgewatt::predict {
namespace {

// Draws functions over the clocks of CPU and GPU, with hyperparameters, from the prior itself (this
// code implements Matern 5/2 independently). Returns the share of new noisy observations inside
// their 90 % interval.
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

// The predictor also scales variances by leave-one-out residuals. Here the process is tested alone,
// with a robust likelihood that treats the largest residuals of normal noise as outliers.
// label: slow
TEST(GaussianProcess, FewSamplesAreAsHonestAsMany) {
  const double of_many = coverage_of_drawn_functions(40, 200);
  EXPECT_NEAR(of_many, 0.9, 0.05);
  EXPECT_NEAR(coverage_of_drawn_functions(6, 400), of_many, 0.04);
  EXPECT_NEAR(coverage_of_drawn_functions(12, 400), of_many, 0.04);
}

// If the nearest samples are all samples, the result must equal the exact process.
TEST(GaussianProcess, LearnedFromAllItsSamplesAsNeighborsIsExact) {
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
  Eigen::VectorXd mean, variance, near_mean, near_variance;
  process.predict(at, linear_at, mean, variance);
  const Eigen::VectorXd residuals = process.standardized_residuals();
  process.condition(x, y, linear);
  process.predict(at, linear_at, near_mean, near_variance);
  EXPECT_LT((mean - near_mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((variance - near_variance).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((residuals - process.standardized_residuals()).cwiseAbs().maxCoeff(), 1e-6);
}

// Several rows of a point are equivalent to their mean with correspondingly less noise.
TEST(GaussianProcess, RowsOfOnePointAreMergedWithoutLoss) {
  GaussianProcessOptions options;
  options.reweightings = 0;
  GaussianProcess process(options);
  FeatureMatrix x = FeatureMatrix::Zero(60, kFeatures), at = FeatureMatrix::Zero(5, kFeatures);
  Eigen::VectorXd y(60);
  Random random(4);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    x(i, kLogGpu) = -0.1 * static_cast<double>(i % 20);
    y[i] = 0.1 * std::sin(3 * x(i, kLogGpu)) + 0.02 * random.normal();
  }
  for (Eigen::Index i = 0; i < at.rows(); ++i) at(i, kLogGpu) = -0.33 * static_cast<double>(i);
  const Eigen::MatrixXd linear = Eigen::MatrixXd::Ones(60, 1), linear_at = linear.topRows(5);
  process.fit(x, y, linear, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1));
  Eigen::VectorXd mean, variance, merged_mean, merged_variance;
  process.predict(at, linear_at, mean, variance);
  process.condition(x, y, linear);
  process.predict(at, linear_at, merged_mean, merged_variance);
  EXPECT_LT((mean - merged_mean).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((variance - merged_variance).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Neighborhoods, EveryPointLiesInItsCellAndItsCellLearnsFromIt) {
  FeatureMatrix x = FeatureMatrix::Zero(500, kFeatures);
  Random random(6);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {  // a coarse grid: many rows are equal
    for (Eigen::Index f = 0; f < 3; ++f) x(i, f) = static_cast<double>(random.below(8));
  }
  const Neighborhoods where(x, Eigen::Matrix<double, kFeatures, 1>::Ones(), 16, 40);
  const auto rows = where.rows_by_cell(x);
  std::size_t members = 0, seen = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& cell = where.cells()[i];
    EXPECT_LE(cell.members.size(), 16u);
    EXPECT_GE(cell.nearest.size(), 40u);
    EXPECT_TRUE(std::includes(cell.nearest.begin(), cell.nearest.end(), cell.members.begin(),
                              cell.members.end()));
    members += cell.members.size(), seen += rows[i].size();
    for (const auto row : rows[i]) {
      const auto point = where.point_of_row()[static_cast<std::size_t>(row)];
      EXPECT_TRUE(std::binary_search(cell.members.begin(), cell.members.end(), point));
    }
  }
  EXPECT_EQ(members, where.first_rows().size());
  EXPECT_EQ(seen, 500u);
}

}  // namespace
}  // namespace ridgewatt::predict
