// The implementation of AutoPredictor, shared by fitting (auto_predictor.cc) and by the choice of
// the next modes (few_shot_design.cc). Internal to auto_predictor.h.
#pragma once

#include <deque>

#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/few_shot/few_shot_candidates.h"

namespace ridgewatt::predict {

class FewShotModel {
 public:
  explicit FewShotModel(AutoOptions options) : options_(std::move(options)) {}

  void add(Reference reference) { references_.push_back(std::move(reference)); }
  void fit(std::span<const Observation> samples);
  std::vector<Prediction> predict(std::span<const OperatingPoint> points, double interval) const;
  std::vector<std::size_t> suggest(std::span<const OperatingPoint> candidates, std::size_t count);
  std::vector<std::size_t> suggest_for_budgets(std::span<const OperatingPoint> candidates,
                                               std::size_t count,
                                               const PowerBudgets& budgets) const;
  const AutoSummary& summary() const { return summary_; }

 private:
  // Fits the references over a space of features, unless this is already done.
  void use_space(std::span<const OperatingPoint> points);
  // All parameters, fitted to the same samples.
  struct PartFit {
    CandidateSet time, power;
    double evidence() const { return time.evidence() + power.evidence(); }
  };
  PartFit fit_of(std::span<const Observation> part) const;
  // The log density of a sample that the fit left out, if the sample was disturbed.
  double disturbed_density(const PartFit& fit, const Observation& sample) const;
  // Fits all samples, or all except one that was probably disturbed; the index of this sample is
  // stored in `disturbed`.
  PartFit fit_robustly(const std::vector<Observation>& part,
                       std::optional<std::size_t>& disturbed) const;
  // Features and residuals of references; log_time stays empty.
  CandidateInput input_at(std::span<const OperatingPoint> points) const;
  // ln(time) and ln(power given time) with their calibrated variances; call after fit.
  struct LogCostPrediction {
    LogPrediction time, power;
    // Variance of ln(power), including the uncertainty of time.
    double power_variance(Eigen::Index row) const;
  };
  void predict_block(std::span<const OperatingPoint> points, double interval,
                     std::span<Prediction> result) const;
  LogCostPrediction predict_logs(std::span<const OperatingPoint> points) const;
  std::vector<bool> sampled(std::span<const OperatingPoint> points) const;

  AutoOptions options_;
  std::vector<WorkloadGroup> groups_;  // for the kind and batches of the space
  std::deque<Reference> references_;
  FeatureSpace space_;
  GaussianProcessOptions process_;
  std::vector<FittedReference> fitted_;
  CandidateSet time_, power_;
  std::vector<Observation> samples_;  // as passed to fit()
  AutoSummary summary_;
  double least_log_time_ = 0, most_log_time_ = 0, least_log_power_ = 0, most_log_power_ = 0;
};

}  // namespace ridgewatt::predict
