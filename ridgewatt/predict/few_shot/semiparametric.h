// A structured mean with uncertain parameters plus a Gaussian process on the residual. The
// structure improves predictions from ten samples, and the process improves predictions from fifty
// samples.
//
// The mean is fitted by generalized least squares with its prior and the covariance of the process,
// and is linearized. Then the process is fitted with the derivatives as its linear part. Both steps
// are repeated a few times. Therefore the predictive variance includes the uncertainty of the
// parameters (O'Hagan 1978; Rasmussen and Williams 2006, 2.7).
#pragma once

#include <memory>

#include "ridgewatt/predict/few_shot/gaussian_process.h"
#include "ridgewatt/predict/few_shot/stage_model.h"

namespace ridgewatt::predict {

// Additional linear terms of the mean (the residual of a reference), with the prior of their
// coefficients.
struct LinearTerms {
  Eigen::VectorXd mean, deviation;
};

// Rows for fitting or predicting.
struct ModelInput {
  FeatureMatrix x;
  Eigen::VectorXd log_time;  // ln(time / s); only power models use it
  Eigen::MatrixXd terms;     // values of the additional linear terms, one column each
};

struct LogPrediction {
  Eigen::VectorXd mean, variance;
  Eigen::VectorXd time_sensitivity;  // d ln(power) / d ln(time)
};

class SemiparametricModel {
 public:
  SemiparametricModel(std::shared_ptr<const MeanModel> model, LinearTerms terms,
                      const GaussianProcessOptions& options)
      : model_(std::move(model)), terms_(std::move(terms)), process_(options) {}

  void fit(const ModelInput& input, const Eigen::VectorXd& y);
  // After a fit to a subset: learns from many more samples (GaussianProcess::condition), with the
  // mean linearized at the fitted parameters.
  void condition(const ModelInput& input, const Eigen::VectorXd& y);
  LogPrediction predict(const ModelInput& input) const;
  // Uses the prior without samples, to choose the first points.
  void use_prior();
  // Covariance of the noise-free function between two sets of points.
  Eigen::MatrixXd covariance(const ModelInput& a, const ModelInput& b) const;
  double evidence() const { return process_.evidence(); }
  const GaussianProcess& process() const { return process_; }
  const Eigen::VectorXd& parameters() const { return parameters_; }

 private:
  // The mean at the linearization point, and its derivatives with respect to all coefficients.
  void linearize(const ModelInput& input, Eigen::VectorXd& value, Eigen::MatrixXd& jacobian) const;

  std::shared_ptr<const MeanModel> model_;
  LinearTerms terms_;
  GaussianProcess process_;
  Eigen::VectorXd prior_mean_, prior_deviation_;
  Eigen::VectorXd parameters_;  // of the mean, then of the additional terms
};

// Maximum a posteriori parameters of a mean model with independent normal errors of `deviation`,
// robust by reweighting. For references with thousands of rows.
Eigen::VectorXd fit_mean_robustly(const MeanModel& model, const ModelInput& input,
                                  const Eigen::VectorXd& y, double deviation);

}  // namespace ridgewatt::predict
