#include "ridgewatt/predict/few_shot/few_shot_candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kReferenceRows = 1200;  // rows used to fit a reference's parameters
constexpr double kReferenceDeviation = 0.03;  // of a reference's rows around its stage model
constexpr double kReferenceTightening = 0.5;  // factor on the general prior's widths
constexpr double kLeastWeight = 0.005;        // candidates with less weight are ignored

// Moves a model's prior to the parameters of a reference. The level stays free.
void move_prior(MeanModel& model, const Eigen::VectorXd& parameters) {
  Eigen::VectorXd mean = parameters;
  mean[0] = model.prior_mean()[0];
  Eigen::VectorXd deviation = model.prior_deviation() * kReferenceTightening;
  deviation[0] = model.prior_deviation()[0];
  model.set_prior(std::move(mean), std::move(deviation));
}

}  // namespace

LogCosts log_costs(std::span<const Observation> rows) {
  LogCosts logs;
  logs.time.resize(static_cast<Eigen::Index>(rows.size()));
  logs.power.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    logs.time[static_cast<Eigen::Index>(i)] = std::log(rows[i].time_s);
    logs.power[static_cast<Eigen::Index>(i)] = std::log(rows[i].power_w);
  }
  return logs;
}

std::vector<OperatingPoint> points_of(std::span<const Observation> rows) {
  std::vector<OperatingPoint> points;
  points.reserve(rows.size());
  for (const auto& row : rows) points.push_back(row.point);
  return points;
}

std::vector<std::size_t> spread_rows(const FeatureMatrix& x,
                                     const Eigen::Matrix<double, kFeatures, 1>& lengths,
                                     std::size_t count, std::uint64_t seed) {
  const FeatureMatrix scaled = x.array().rowwise() / lengths.transpose().array();
  std::vector<std::size_t> rows;
  if (x.rows() == 0 || count == 0) return rows;
  rows.push_back(
      static_cast<std::size_t>(Random(seed).below(static_cast<std::uint64_t>(x.rows()))));
  Eigen::VectorXd nearest =
      Eigen::VectorXd::Constant(x.rows(), std::numeric_limits<double>::infinity());
  while (rows.size() < count) {
    const auto last = static_cast<Eigen::Index>(rows.back());
    nearest = nearest.cwiseMin((scaled.rowwise() - scaled.row(last)).rowwise().squaredNorm());
    Eigen::Index next = 0;
    if (!(nearest.maxCoeff(&next) > 0)) break;
    rows.push_back(static_cast<std::size_t>(next));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

GaussianProcessOptions process_options(const FeatureMatrix& space) {
  constexpr double kLengthPerRange = 0.65, kUsualRange = 2.3;
  GaussianProcessOptions options;
  for (Eigen::Index f = 0; f < kFeatures; ++f) {
    const double range = space.col(f).maxCoeff() - space.col(f).minCoeff();
    options.length[f] =
        std::log(kLengthPerRange * (range > 0 ? std::max(range, 0.1) : kUsualRange));
  }
  return options;
}

FittedReference::FittedReference(const Reference& reference, const FeatureSpace& space)
    : reference_(&reference) {
  const auto points = thin_evenly<OperatingPoint>(reference.points, kReferenceRows);
  const LogCosts logs = log_costs(reference.at(points));
  const ModelInput input{space.features(points), logs.time, {}};
  time_parameters_ = fit_mean_robustly(time_model_, input, logs.time, kReferenceDeviation);
  power_model_.emplace(StageTimeModel::scale_to_top(time_parameters_));
  power_parameters_ = fit_mean_robustly(*power_model_, input, logs.power, kReferenceDeviation);
}

LogCosts FittedReference::residuals(std::span<const OperatingPoint> points,
                                    const FeatureMatrix& x) const {
  LogCosts logs = log_costs(reference_->at(points));
  const Eigen::VectorXd log_time = logs.time;
  Eigen::VectorXd value;
  time_model_.evaluate(time_parameters_, x, log_time, value, nullptr);
  logs.time -= value;
  power_model_->evaluate(power_parameters_, x, log_time, value, nullptr);
  logs.power -= value;
  return logs;
}

CandidateSet::CandidateSet(Quantity quantity, std::span<const FittedReference> references,
                           std::span<const WorkloadGroup> groups,
                           const GaussianProcessOptions& process, double reference_log_time)
    : quantity_(quantity) {
  const bool time = quantity == Quantity::kTime;
  const auto stages = [&]() -> std::shared_ptr<MeanModel> {
    if (time) return std::make_shared<StageTimeModel>();
    return std::make_shared<WorkPowerModel>(reference_log_time);
  };
  add("stages", -1, stages(), process);
  add("log-linear", -1,
      std::make_shared<LogLinearModel>(time ? LogLinearModel::Quantity::kTime
                                            : LogLinearModel::Quantity::kPower),
      process);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    add("group " + std::to_string(i + 1), -1,
        std::make_shared<CorrelatedModel>(stages(), time ? groups[i].time : groups[i].power),
        process);
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto model = stages();
    move_prior(*model, time ? references[i].time_parameters() : references[i].power_parameters());
    add(references[i].name(), static_cast<std::ptrdiff_t>(i), model, process);
    other_workloads_ = other_workloads_ || references[i].other_workload();
  }
}

void CandidateSet::add(std::string name, std::ptrdiff_t reference,
                       std::shared_ptr<const MeanModel> mean,
                       const GaussianProcessOptions& process) {
  LinearTerms terms;
  if (reference >= 0) {
    terms.mean.setConstant(1, 0.7);
    terms.deviation.setConstant(1, 0.4);
  }
  candidates_.push_back(
      {std::move(name), reference, SemiparametricModel(std::move(mean), terms, process), 1});
}

ModelInput CandidateSet::input_for(const Candidate& candidate, const CandidateInput& input) const {
  ModelInput own{input.x, input.log_time, {}};
  if (candidate.reference >= 0) {
    const LogCosts& residuals = input.residuals[static_cast<std::size_t>(candidate.reference)];
    own.terms = quantity_ == Quantity::kTime ? residuals.time : residuals.power;
  }
  return own;
}

void CandidateSet::fit(const CandidateInput& input, const Eigen::VectorXd& y) {
  parallel_for(candidates_.size(), [&](std::size_t i) {
    candidates_[i].model.fit(input_for(candidates_[i], input), y);
  });
  weigh();
}

void CandidateSet::condition(const CandidateInput& input, const Eigen::VectorXd& y) {
  parallel_for(candidates_.size(), [&](std::size_t i) {
    candidates_[i].model.condition(input_for(candidates_[i], input), y);
  });
  weigh();
}

void CandidateSet::weigh() {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& candidate : candidates_) best = std::max(best, candidate.model.evidence());
  double sum = 0;
  for (auto& candidate : candidates_) {
    sum += candidate.weight = std::exp(candidate.model.evidence() - best);
  }
  for (auto& candidate : candidates_) candidate.weight /= sum;
  evidence_ = best + std::log(sum / static_cast<double>(candidates_.size()));
}

double CandidateSet::top(const std::vector<LogCosts>& residuals) const {
  return predict({FeatureMatrix::Zero(1, kFeatures), Eigen::VectorXd::Zero(1), residuals}).mean[0];
}

void CandidateSet::use_prior() {
  // The prior of a reference, if there is one, knows more than the general prior.
  const auto best = candidates_.back().reference >= 0 ? candidates_.end() - 1 : candidates_.begin();
  candidates_ = {std::move(*best)};
  candidates_.front().model.use_prior();
}

LogPrediction CandidateSet::predict(const CandidateInput& input) const {
  const Eigen::Index n = input.x.rows();
  LogPrediction sum{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  Eigen::VectorXd square = Eigen::VectorXd::Zero(n);
  double total = 0;
  for (const auto& candidate : candidates_) {
    if (candidate.weight < kLeastWeight) continue;
    const LogPrediction one = candidate.model.predict(input_for(candidate, input));
    total += candidate.weight;
    sum.mean += candidate.weight * one.mean;
    sum.variance += candidate.weight * one.variance;
    sum.time_sensitivity += candidate.weight * one.time_sensitivity;
    square += candidate.weight * one.mean.cwiseAbs2();
  }
  sum.mean /= total;
  sum.time_sensitivity /= total;
  sum.variance = sum.variance / total + (square / total - sum.mean.cwiseAbs2()).cwiseMax(0);
  return sum;
}

double CandidateSet::variance_factor() const {
  constexpr double kSamplesOfPrior = 20;
  // Times have heavier tails. Chosen by the coverage on the published samples of MobileNetV3 and
  // YOLOv8n and on the Orin Nano.
  const double prior = quantity_ == Quantity::kTime ? 2.2 : 1;
  // If the sweep of another workload is a candidate, the samples fit better than other rows,
  // because they selected the candidate. Chosen by the coverage on the training sweeps of the AGX
  // Orin, each a reference for the others; checked on the Orin Nano (docs/results/prediction.md).
  const double optimism = other_workloads_ ? 1.6 : 1;
  constexpr double kMost = 6;               // maximum deviation of one sample
  constexpr double kMeanDeviation = 0.798;  // E|x| of a standard normal: sqrt(2 / pi)
  double factor = 0;
  for (const auto& candidate : candidates_) {
    const Eigen::ArrayXd off =
        candidate.model.process().standardized_residuals().array().abs().min(kMost);
    const auto samples = static_cast<double>(off.size());
    const double seen = optimism * std::pow(off.mean() / kMeanDeviation, 2);
    factor +=
        candidate.weight * (kSamplesOfPrior * prior + samples * seen) / (kSamplesOfPrior + samples);
  }
  return factor;
}

const CandidateSet::Candidate& CandidateSet::likeliest() const {
  return *std::max_element(
      candidates_.begin(), candidates_.end(),
      [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
}

Eigen::MatrixXd CandidateSet::covariance(const CandidateInput& a, const CandidateInput& b) const {
  const Candidate& one = likeliest();
  return one.model.covariance(input_for(one, a), input_for(one, b));
}

double CandidateSet::noise_variance() const {
  const double deviation = likeliest().model.process().noise_deviation();
  return deviation * deviation;
}

}  // namespace ridgewatt::predict
