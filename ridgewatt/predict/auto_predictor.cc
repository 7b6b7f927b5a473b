#include "ridgewatt/predict/auto_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/predict/semiparametric.h"

namespace ridgewatt {
namespace {

constexpr std::size_t kReferenceRows = 1200;  // used to fit a reference's parameters
constexpr double kReferenceDeviation = 0.03;  // of a reference's rows around its stage model
constexpr double kLeastWeight = 0.005;        // candidates below are not asked

template <typename T>
std::vector<T> thin(std::span<const T> values, std::size_t count) {
  if (values.size() <= count) return {values.begin(), values.end()};
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(values[i * values.size() / count]);
  return result;
}

struct Logs {
  Eigen::VectorXd time, power;
};

Logs logs_of(std::span<const Observation> rows) {
  Logs logs;
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

// A reference with its stage models fitted.
struct FittedReference {
  const Reference* reference = nullptr;
  StageTimeModel time_model;
  std::shared_ptr<WorkPowerModel> power_model;
  Eigen::VectorXd time_parameters, power_parameters;
  double reference_log_time = 0;

  FittedReference(const Reference& given, const FeatureSpace& space) : reference(&given) {
    const auto points = thin<OperatingPoint>(given.points, kReferenceRows);
    const Logs logs = logs_of(given.at(points));
    ModelInput input{space.features(points), logs.time, {}};
    time_parameters = fit_mean_robustly(time_model, input, logs.time, kReferenceDeviation);
    reference_log_time = time_parameters[StageTimeModel::kLevel];
    power_model = std::make_shared<WorkPowerModel>(reference_log_time);
    power_parameters = fit_mean_robustly(*power_model, input, logs.power, kReferenceDeviation);
  }

  // What the reference has beyond its stage models, in ln(time) and ln(power).
  Logs residuals(std::span<const OperatingPoint> points, const FeatureMatrix& x) const {
    Logs logs = logs_of(reference->at(points));
    const Eigen::VectorXd log_time = logs.time;
    Eigen::VectorXd value;
    time_model.evaluate(time_parameters, x, log_time, value, nullptr);
    logs.time -= value;
    power_model->evaluate(power_parameters, x, log_time, value, nullptr);
    logs.power -= value;
    return logs;
  }
};

struct Candidate {
  std::string name;
  const FittedReference* reference = nullptr;  // its residual is a term; null: no term
  std::shared_ptr<MeanModel> model;
  std::optional<SemiparametricModel> fitted;
  double weight = 1;
};

void weigh(std::vector<Candidate>& candidates) {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& candidate : candidates) best = std::max(best, candidate.fitted->evidence());
  double sum = 0;
  for (auto& candidate : candidates) {
    candidate.weight = std::exp(candidate.fitted->evidence() - best);
    sum += candidate.weight;
  }
  for (auto& candidate : candidates) candidate.weight /= sum;
}

}  // namespace

class AutoPredictor::Implementation {
 public:
  explicit Implementation(AutoOptions options) : options_(std::move(options)) {}

  void fit(std::span<const Observation> samples);
  std::vector<Prediction> predict(std::span<const OperatingPoint> points, double interval) const;
  void add(Reference reference) { references_.push_back(std::move(reference)); }
  const AutoSummary& summary() const { return summary_; }

 private:
  std::vector<Candidate> time_candidates() const;
  std::vector<Candidate> power_candidates(double reference_log_time) const;
  ModelInput input_for(const Candidate& candidate, const ModelInput& base,
                       const std::vector<Logs>& residuals, bool time) const;
  LogPrediction average(const std::vector<Candidate>& candidates, const ModelInput& base,
                        const std::vector<Logs>& residuals, bool time) const;
  std::vector<Logs> residuals_at(std::span<const OperatingPoint> points,
                                 const FeatureMatrix& x) const;

  AutoOptions options_;
  std::vector<Reference> references_;
  FeatureSpace space_;
  std::vector<FittedReference> fitted_;
  std::vector<Candidate> time_, power_;
  AutoSummary summary_;
  double least_log_time_ = 0, most_log_time_ = 0, least_log_power_ = 0, most_log_power_ = 0;
};

namespace {

// Prior of a model moved to what a reference shows; the level stays free.
void move_prior(MeanModel& model, const Eigen::VectorXd& parameters, double tighten) {
  Eigen::VectorXd mean = parameters;
  mean[0] = model.prior_mean()[0];
  Eigen::VectorXd deviation = model.prior_deviation() * tighten;
  deviation[0] = model.prior_deviation()[0];
  model.set_prior(std::move(mean), std::move(deviation));
}

constexpr double kReferenceTightening = 0.5;

}  // namespace

std::vector<Candidate> AutoPredictor::Implementation::time_candidates() const {
  std::vector<Candidate> result;
  result.push_back({"stages", nullptr, std::make_shared<StageTimeModel>(), {}, 1});
  result.push_back({"log-linear",
                    nullptr,
                    std::make_shared<LogLinearModel>(LogLinearModel::Quantity::kTime),
                    {},
                    1});
  for (const auto& reference : fitted_) {
    auto model = std::make_shared<StageTimeModel>();
    move_prior(*model, reference.time_parameters, kReferenceTightening);
    result.push_back({reference.reference->name, &reference, model, {}, 1});
  }
  return result;
}

std::vector<Candidate> AutoPredictor::Implementation::power_candidates(
    double reference_log_time) const {
  std::vector<Candidate> result;
  result.push_back(
      {"stages", nullptr, std::make_shared<WorkPowerModel>(reference_log_time), {}, 1});
  result.push_back({"log-linear",
                    nullptr,
                    std::make_shared<LogLinearModel>(LogLinearModel::Quantity::kPower),
                    {},
                    1});
  for (const auto& reference : fitted_) {
    auto model = std::make_shared<WorkPowerModel>(reference_log_time);
    move_prior(*model, reference.power_parameters, kReferenceTightening);
    result.push_back({reference.reference->name, &reference, model, {}, 1});
  }
  return result;
}

std::vector<Logs> AutoPredictor::Implementation::residuals_at(
    std::span<const OperatingPoint> points, const FeatureMatrix& x) const {
  std::vector<Logs> result;
  for (const auto& reference : fitted_) result.push_back(reference.residuals(points, x));
  return result;
}

ModelInput AutoPredictor::Implementation::input_for(const Candidate& candidate,
                                                    const ModelInput& base,
                                                    const std::vector<Logs>& residuals,
                                                    bool time) const {
  ModelInput input = base;
  if (candidate.reference != nullptr) {
    const auto index = static_cast<std::size_t>(candidate.reference - fitted_.data());
    input.terms = time ? residuals[index].time : residuals[index].power;
  }
  return input;
}

void AutoPredictor::Implementation::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("no samples to learn from");
  const std::vector<Observation> kept = thin(samples, options_.max_samples);
  const std::vector<OperatingPoint> points = points_of(kept);
  std::vector<OperatingPoint> all = points;
  all.insert(all.end(), options_.space.begin(), options_.space.end());
  for (const auto& reference : references_) {
    all.insert(all.end(), reference.points.begin(), reference.points.end());
  }
  space_ = FeatureSpace(all);
  fitted_.clear();
  for (const auto& reference : references_) fitted_.emplace_back(reference, space_);

  const Logs logs = logs_of(kept);
  least_log_time_ = logs.time.minCoeff(), most_log_time_ = logs.time.maxCoeff();
  least_log_power_ = logs.power.minCoeff(), most_log_power_ = logs.power.maxCoeff();
  const ModelInput base{space_.features(points), logs.time, {}};
  const std::vector<Logs> residuals = residuals_at(points, base.x);
  const auto fit_all = [&](std::vector<Candidate>& candidates, const Eigen::VectorXd& y,
                           bool time) {
    for (auto& candidate : candidates) {
      LinearTerms terms;
      if (candidate.reference != nullptr) {
        terms.mean.setConstant(1, 0.7);
        terms.deviation.setConstant(1, 0.4);
      }
      candidate.fitted.emplace(candidate.model, terms, GaussianProcessOptions());
      candidate.fitted->fit(input_for(candidate, base, residuals, time), y);
    }
    weigh(candidates);
  };
  time_ = time_candidates();
  fit_all(time_, logs.time, true);
  power_ = power_candidates(time_.front().fitted->parameters()[StageTimeModel::kLevel]);
  fit_all(power_, logs.power, false);

  summary_ = {};
  summary_.samples = kept.size();
  for (std::size_t i = 0; i < time_.size(); ++i) {
    summary_.candidates.push_back({time_[i].name, time_[i].weight, power_[i].weight});
  }
}

LogPrediction AutoPredictor::Implementation::average(const std::vector<Candidate>& candidates,
                                                     const ModelInput& base,
                                                     const std::vector<Logs>& residuals,
                                                     bool time) const {
  const Eigen::Index n = base.x.rows();
  LogPrediction sum{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  Eigen::VectorXd square = Eigen::VectorXd::Zero(n);
  double total = 0;
  for (const auto& candidate : candidates) {
    if (candidate.weight < kLeastWeight) continue;
    const LogPrediction one =
        candidate.fitted->predict(input_for(candidate, base, residuals, time));
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

std::vector<Prediction> AutoPredictor::Implementation::predict(
    std::span<const OperatingPoint> points, double interval) const {
  if (time_.empty()) throw UsageError("predict before fit");
  if (!(interval > 0 && interval < 1)) {
    throw UsageError("the probability of an interval lies between 0 and 1");
  }
  ModelInput base{space_.features(points), {}, {}};
  const std::vector<Logs> residuals = residuals_at(points, base.x);
  LogPrediction time = average(time_, base, residuals, true);
  // Nothing runs 50 times faster or slower than all that was seen, nor takes 5 times the power.
  time.mean =
      time.mean.cwiseMax(least_log_time_ - std::log(50)).cwiseMin(most_log_time_ + std::log(50));
  base.log_time = time.mean;
  LogPrediction power = average(power_, base, residuals, false);
  power.mean =
      power.mean.cwiseMax(least_log_power_ - std::log(5)).cwiseMin(most_log_power_ + std::log(5));
  const double z = normal_quantile(0.5 + interval / 2);
  const auto estimate = [z](double mean, double variance) {
    const double half = std::min(z * std::sqrt(variance), 4.0);
    return Estimate{std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
  };
  std::vector<Prediction> result(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double s = power.time_sensitivity[row];
    result[i].time_s = estimate(time.mean[row], time.variance[row]);
    result[i].power_w = estimate(power.mean[row], power.variance[row] + s * s * time.variance[row]);
    result[i].energy_j = estimate(time.mean[row] + power.mean[row],
                                  power.variance[row] + (1 + s) * (1 + s) * time.variance[row]);
  }
  return result;
}

AutoPredictor::AutoPredictor(AutoOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
AutoPredictor::~AutoPredictor() = default;
AutoPredictor::AutoPredictor(AutoPredictor&&) noexcept = default;
AutoPredictor& AutoPredictor::operator=(AutoPredictor&&) noexcept = default;
void AutoPredictor::add_reference(Reference reference) {
  implementation_->add(std::move(reference));
}
void AutoPredictor::fit(std::span<const Observation> samples) {
  implementation_->fit(samples);
}
std::vector<Prediction> AutoPredictor::predict(std::span<const OperatingPoint> points,
                                               double interval) const {
  return implementation_->predict(points, interval);
}
const AutoSummary& AutoPredictor::summary() const {
  return implementation_->summary();
}

}  // namespace ridgewatt
