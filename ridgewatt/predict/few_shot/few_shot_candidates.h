// The candidate models that `auto` averages: mean functions of one quantity, each with a Gaussian
// process on its residual, weighted by their evidence. Internal to auto_predictor.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/predict/few_shot/semiparametric.h"
#include "ridgewatt/predict/reference.h"

namespace ridgewatt::predict {

// ln(time / s) and ln(power / W) of rows.
struct LogCosts {
  Eigen::VectorXd time, power;
};
LogCosts log_costs(std::span<const Observation> rows);
std::vector<OperatingPoint> points_of(std::span<const Observation> rows);

template <typename T>
std::vector<T> thin_evenly(std::span<const T> values, std::size_t count) {
  if (values.size() <= count) return {values.begin(), values.end()};
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(values[i * values.size() / count]);
  return result;
}

// Greedily selects rows of `x` that are far apart, with each column divided by its length. `seed`
// selects the first row. Returns fewer rows if less than `count` rows differ.
std::vector<std::size_t> spread_rows(const FeatureMatrix& x,
                                     const Eigen::Matrix<double, kFeatures, 1>& lengths,
                                     std::size_t count, std::uint64_t seed);

// The length scale of a knob is proportional to its range in `space`, because costs change their
// slope about equally often over a wide and over a narrow range.
GaussianProcessOptions process_options(const FeatureMatrix& space);

// A reference with its fitted stage models.
class FittedReference {
 public:
  FittedReference(const Reference& reference, const FeatureSpace& space);
  // The residual of the reference with respect to its stage models.
  LogCosts residuals(std::span<const OperatingPoint> points, const FeatureMatrix& x) const;
  const std::string& name() const { return reference_->name; }
  bool other_workload() const { return reference_->other_workload; }
  const Eigen::VectorXd& time_parameters() const { return time_parameters_; }
  const Eigen::VectorXd& power_parameters() const { return power_parameters_; }

 private:
  const Reference* reference_;
  StageTimeModel time_model_;
  std::optional<WorkPowerModel> power_model_;
  Eigen::VectorXd time_parameters_, power_parameters_;
};

// Input of the candidates: features of points, and the residual of each reference at the points.
struct CandidateInput {
  FeatureMatrix x;
  Eigen::VectorXd log_time;  // only for power
  std::vector<LogCosts> residuals;
};

// All candidates of one quantity, averaged by their evidence.
class CandidateSet {
 public:
  enum class Quantity { kTime, kPower };
  CandidateSet() = default;
  // The candidates: the stage model with the general prior, a log-linear model, and the stage model
  // with the prior of each workload group and each reference. `reference_log_time`: see
  // WorkPowerModel.
  CandidateSet(Quantity quantity, std::span<const FittedReference> references,
               std::span<const WorkloadGroup> groups, const GaussianProcessOptions& process,
               double reference_log_time);

  void fit(const CandidateInput& input, const Eigen::VectorXd& y);
  // After a fit to a subset: learns from many more samples and computes the weights again.
  void condition(const CandidateInput& input, const Eigen::VectorXd& y);
  LogPrediction predict(const CandidateInput& input) const;
  // Uses the priors, without samples.
  void use_prior();

  // The log marginal likelihood of the samples, averaged over the candidates.
  double evidence() const { return evidence_; }

  std::size_t size() const { return candidates_.size(); }
  const std::string& name(std::size_t index) const { return candidates_[index].name; }
  double weight(std::size_t index) const { return candidates_[index].weight; }
  // The factor on the predictive variance. It is estimated from leave-one-out predictions of the
  // samples, with a prior that dominates if there are few samples. The uncertainty of the
  // hyperparameters may be counted twice, because the factor is relative to their fitted values.
  double variance_factor() const;
  // ln(time) with every knob at its highest value, given the `residuals` of the references there.
  double top(const std::vector<LogCosts>& residuals) const;
  // Covariance of the most likely candidate.
  Eigen::MatrixXd covariance(const CandidateInput& a, const CandidateInput& b) const;
  double noise_variance() const;

 private:
  struct Candidate {
    std::string name;
    std::ptrdiff_t reference = -1;  // index of the reference whose residual is a term; -1: none
    SemiparametricModel model;
    double weight = 1;
  };
  void add(std::string name, std::ptrdiff_t reference, std::shared_ptr<const MeanModel> mean,
           const GaussianProcessOptions& process);
  ModelInput input_for(const Candidate& candidate, const CandidateInput& input) const;
  void weigh();  // computes the weights from the evidence
  const Candidate& likeliest() const;

  Quantity quantity_ = Quantity::kTime;
  double evidence_ = 0;
  bool other_workloads_ = false;  // whether a reference is another workload
  std::vector<Candidate> candidates_;
};

}  // namespace ridgewatt::predict
