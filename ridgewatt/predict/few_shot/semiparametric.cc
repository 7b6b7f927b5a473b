#include "ridgewatt/predict/few_shot/semiparametric.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/minimize.h"

namespace ridgewatt::predict {
namespace {

constexpr int kRounds = 3;
constexpr double kFirstDeviation = 0.06;  // of ln(y) around the mean, before the process is fitted

double median_of(const Eigen::VectorXd& v) {
  return median({v.data(), static_cast<std::size_t>(v.size())});
}

}  // namespace

void SemiparametricModel::linearize(const ModelInput& input, Eigen::VectorXd& value,
                                    Eigen::MatrixXd& jacobian) const {
  Eigen::MatrixXd by_parameter;
  model_->evaluate(parameters_.head(model_->size()), input.x, input.log_time, value, &by_parameter);
  const Eigen::Index terms = terms_.mean.size();
  jacobian.resize(input.x.rows(), model_->size() + terms);
  jacobian.leftCols(model_->size()) = by_parameter;
  if (terms > 0) {
    jacobian.rightCols(terms) = input.terms;
    value += input.terms * parameters_.tail(terms);
  }
}

void SemiparametricModel::fit(const ModelInput& input, const Eigen::VectorXd& y) {
  const Eigen::Index n = y.size(), size = model_->size() + terms_.mean.size();
  prior_mean_.resize(size);
  prior_deviation_.resize(size);
  prior_mean_ << model_->prior_mean(), terms_.mean;
  prior_deviation_ << model_->prior_deviation(), terms_.deviation;
  parameters_ = prior_mean_;
  Eigen::VectorXd value;
  Eigen::MatrixXd jacobian;
  linearize(input, value, jacobian);
  prior_mean_[0] += median_of(y - value);
  parameters_[0] = prior_mean_[0];

  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n) * kFirstDeviation * kFirstDeviation;
  for (int round = 0; round < kRounds; ++round) {
    Eigen::VectorXd best = parameters_;  // separate from `parameters_`, which trial steps change
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    const auto whiten = factor.matrixL();
    minimize_squares(
        [&](const Eigen::VectorXd& p, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
          parameters_ = p;
          linearize(input, value, jacobian);
          r.resize(n + size);
          r << whiten.solve(value - y), (p - prior_mean_).cwiseQuotient(prior_deviation_);
          if (j == nullptr) return;
          j->setZero(n + size, size);
          j->topRows(n) = whiten.solve(jacobian);
          j->bottomRows(size).diagonal() = prior_deviation_.cwiseInverse();
        },
        best, {.max_iterations = 50});
    parameters_ = best;
    linearize(input, value, jacobian);
    process_.fit(input.x, y - value + jacobian * parameters_, jacobian, prior_mean_,
                 prior_deviation_);
    covariance = process_.residual_covariance();
  }
  process_.weigh_hyperparameters();
}

void SemiparametricModel::condition(const ModelInput& input, const Eigen::VectorXd& y) {
  Eigen::VectorXd value;
  Eigen::MatrixXd jacobian;
  linearize(input, value, jacobian);
  process_.condition(input.x, y - value + jacobian * parameters_, jacobian);
}

void SemiparametricModel::use_prior() {
  parameters_.resize(model_->size() + terms_.mean.size());
  parameters_ << model_->prior_mean(), terms_.mean;
  Eigen::VectorXd deviation(parameters_.size());
  deviation << model_->prior_deviation(), terms_.deviation;
  process_.use_prior(parameters_, deviation);
}

Eigen::MatrixXd SemiparametricModel::covariance(const ModelInput& a, const ModelInput& b) const {
  Eigen::VectorXd value;
  Eigen::MatrixXd linear_a, linear_b;
  linearize(a, value, linear_a);
  linearize(b, value, linear_b);
  return process_.covariance(a.x, linear_a, b.x, linear_b);
}

LogPrediction SemiparametricModel::predict(const ModelInput& input) const {
  LogPrediction result;
  Eigen::VectorXd value;
  Eigen::MatrixXd jacobian;
  linearize(input, value, jacobian);
  process_.predict(input.x, jacobian, result.mean, result.variance);
  result.mean += value - jacobian * parameters_;
  result.time_sensitivity =
      model_->time_sensitivity(parameters_.head(model_->size()), input.x, input.log_time);
  return result;
}

Eigen::VectorXd fit_mean_robustly(const MeanModel& model, const ModelInput& input,
                                  const Eigen::VectorXd& y, double deviation) {
  Eigen::VectorXd prior = model.prior_mean(), value;
  model.evaluate(prior, input.x, input.log_time, value, nullptr);
  prior[0] += median_of(y - value);
  Eigen::VectorXd parameters = prior;
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(y.size());
  Eigen::MatrixXd jacobian;
  for (int round = 0; round < 3; ++round) {
    minimize_squares(
        [&](const Eigen::VectorXd& p, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
          model.evaluate(p, input.x, input.log_time, value, j == nullptr ? nullptr : &jacobian);
          r.resize(y.size() + p.size());
          r << (value - y).cwiseProduct(weight) / deviation,
              (p - prior).cwiseQuotient(model.prior_deviation());
          if (j == nullptr) return;
          j->setZero(r.size(), p.size());
          j->topRows(y.size()) = weight.asDiagonal() * jacobian / deviation;
          j->bottomRows(p.size()).diagonal() = model.prior_deviation().cwiseInverse();
        },
        parameters, {.max_iterations = 30});
    model.evaluate(parameters, input.x, input.log_time, value, nullptr);
    // Weights of the Cauchy loss, as square roots because they multiply residuals.
    weight = (1 + ((value - y) / (2 * deviation)).array().square()).rsqrt();
  }
  return parameters;
}

}  // namespace ridgewatt::predict
