#include "ridgewatt/predict/auto_predictor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/semiparametric.h"

namespace ridgewatt {
namespace {

constexpr std::size_t kReferenceRows = 1200;  // used to fit a reference's parameters
constexpr double kReferenceDeviation = 0.03;  // of a reference's rows around its stage model
constexpr double kInflation = 1.35, kInflationPerSample = 3;  // of the predictive variance
constexpr double kLeastWeight = 0.005;                        // candidates below are not asked

template <typename T>
std::vector<T> thin(std::span<const T> values, std::size_t count) {
  if (values.size() <= count) return {values.begin(), values.end()};
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(values[i * values.size() / count]);
  return result;
}

// Lengths go with the range of a knob: a function bends a few times over the range, be it 100 to
// 1300 MHz or 855 to 1410 MHz.
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
  std::vector<std::size_t> suggest(std::span<const OperatingPoint> candidates,
                                   std::size_t count) const;

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
  std::vector<OperatingPoint> sampled_;
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

  sampled_ = points;
  std::sort(sampled_.begin(), sampled_.end());
  const Logs logs = logs_of(kept);
  least_log_time_ = logs.time.minCoeff(), most_log_time_ = logs.time.maxCoeff();
  least_log_power_ = logs.power.minCoeff(), most_log_power_ = logs.power.maxCoeff();
  const ModelInput base{space_.features(points), logs.time, {}};
  const std::vector<Logs> residuals = residuals_at(points, base.x);
  const GaussianProcessOptions process = process_options(space_.features(all));
  const auto fit_all = [&](std::vector<Candidate>& candidates, const Eigen::VectorXd& y,
                           bool time) {
    for (auto& candidate : candidates) {
      LinearTerms terms;
      if (candidate.reference != nullptr) {
        terms.mean.setConstant(1, 0.7);
        terms.deviation.setConstant(1, 0.4);
      }
      candidate.fitted.emplace(candidate.model, terms, process);
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
  // Hyperparameters at their most likely values make a predictive variance too small, the more so
  // the fewer the samples.
  const double z =
      normal_quantile(0.5 + interval / 2) *
      std::sqrt(kInflation + kInflationPerSample / static_cast<double>(summary_.samples));
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

namespace {

constexpr std::size_t kDesignCandidates = 700, kDesignTargets = 250;
constexpr double kPriceExponent = 0.15;  // weak: it decides between points that are about as good

// A subset that has the corners of the space and, between them, an even share of the rest.
std::vector<std::size_t> thin_points(const FeatureMatrix& x, std::size_t count) {
  const auto size = static_cast<std::size_t>(x.rows());
  std::vector<std::size_t> result;
  if (size <= count) {
    for (std::size_t i = 0; i < size; ++i) result.push_back(i);
    return result;
  }
  for (int corner = 0; corner < 1 << kFeatures; ++corner) {
    Eigen::Matrix<double, kFeatures, 1> direction;
    for (int f = 0; f < kFeatures; ++f) direction[f] = (corner >> f & 1) != 0 ? 1 : -1;
    Eigen::Index best = 0;
    (x * direction).maxCoeff(&best);
    result.push_back(static_cast<std::size_t>(best));
  }
  // A stride that shares no factor with the size visits the grid evenly.
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(static_cast<std::size_t>(
        std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0) * static_cast<double>(size)));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<std::size_t> AutoPredictor::Implementation::suggest(
    std::span<const OperatingPoint> candidates, std::size_t count) const {
  if (candidates.empty()) throw UsageError("no operating points to choose from");
  const bool fitted = !time_.empty();
  const FeatureSpace space = fitted ? space_ : FeatureSpace(candidates);
  const FeatureMatrix all = space.features(candidates);
  const auto chosen = thin_points(all, std::max(kDesignCandidates, 2 * count));
  const auto subset = [&](const std::vector<std::size_t>& rows) {
    std::vector<OperatingPoint> points;
    for (const auto row : rows) points.push_back(candidates[row]);
    return points;
  };
  const auto candidate_points = subset(chosen);
  const std::vector<OperatingPoint> targets = subset(thin_points(all, kDesignTargets));

  const auto likeliest = [](const std::vector<Candidate>& models) {
    return &*std::max_element(
        models.begin(), models.end(),
        [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
  };
  std::vector<Candidate> prior_time, prior_power;
  if (!fitted) {
    prior_time.push_back({"stages", nullptr, std::make_shared<StageTimeModel>(), {}, 1});
    prior_power.push_back({"stages", nullptr, std::make_shared<WorkPowerModel>(0), {}, 1});
    for (auto* models : {&prior_time, &prior_power}) {
      models->front().fitted.emplace(models->front().model, LinearTerms(), process_options(all));
      models->front().fitted->use_prior();
    }
  }
  const Candidate& time = fitted ? *likeliest(time_) : prior_time.front();
  const Candidate& power = fitted ? *likeliest(power_) : prior_power.front();
  const auto input_at = [&](const std::vector<OperatingPoint>& points, const Candidate& model,
                            bool is_time) {
    ModelInput base{space.features(points), {}, {}};
    const std::vector<Logs> residuals = fitted ? residuals_at(points, base.x) : std::vector<Logs>();
    if (fitted) {
      base.log_time = average(time_, base, residuals, true).mean;
    } else {
      Eigen::VectorXd value;
      prior_time.front().model->evaluate(time.fitted->parameters(), base.x, {}, value, nullptr);
      base.log_time = value;
    }
    return input_for(model, base, residuals, is_time);
  };
  std::vector<DesignQuantity> quantities;
  Eigen::VectorXd price;
  for (const Candidate* model : {&time, &power}) {
    const ModelInput from = input_at(candidate_points, *model, model == &time);
    const ModelInput to = input_at(targets, *model, model == &time);
    const double noise = model->fitted->process().noise_deviation();
    quantities.push_back({model->fitted->covariance(from, to),
                          model->fitted->covariance(from, from), noise * noise});
    price = from.log_time.array().exp();
  }
  std::vector<bool> excluded;
  for (const auto& point : candidate_points) {
    excluded.push_back(std::binary_search(sampled_.begin(), sampled_.end(), point));
  }
  std::vector<std::size_t> result;
  for (const auto index :
       choose_design(std::move(quantities), price, kPriceExponent, std::move(excluded), count)) {
    result.push_back(chosen[index]);
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
std::vector<std::size_t> AutoPredictor::suggest(std::span<const OperatingPoint> candidates,
                                                std::size_t count) const {
  return implementation_->suggest(candidates, count);
}

}  // namespace ridgewatt
