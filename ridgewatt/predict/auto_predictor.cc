#include "ridgewatt/predict/auto_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/predict/few_shot/few_shot_model.h"
#include "ridgewatt/predict/unvaried.h"

namespace ridgewatt::predict {
namespace {

// Samples per part, if there are many; see docs/methods/prediction.md.
constexpr std::size_t kPart = 128;
// With more samples, the general prior is as good as those of the groups.
constexpr std::size_t kMostGroupSamples = 60;

// Samples at one value of a knob do not show which group is right at the knob's other values.
bool tell_groups_apart(std::span<const Observation> samples,
                       std::span<const OperatingPoint> space) {
  return samples.size() <= kMostGroupSamples && unvaried_axes(samples, space).empty();
}
// With few samples, the noise does not reveal a disturbed one (by another process or a hot board).
// Therefore, the fit to all samples is compared with the fits to all but one.
constexpr std::size_t kFewestDoubted = 4, kMostDoubted = 12;
constexpr double kDisturbedSets = 0.15;  // share of sets of samples that have a disturbed one
constexpr double kDisturbance = 0.4;     // deviation of the logarithms of time and power
// Limits on memory and time.
constexpr std::size_t kMostSamples = 20000;
constexpr std::size_t kPointsAtOnce = 20000, kPointsOfFew = 1024;

}  // namespace

void FewShotModel::use_space(std::span<const OperatingPoint> points) {
  std::vector<OperatingPoint> all(points.begin(), points.end());
  all.insert(all.end(), options_.space.begin(), options_.space.end());
  for (const auto& reference : references_) {
    all.insert(all.end(), reference.points.begin(), reference.points.end());
  }
  const FeatureSpace space(all);
  process_ = process_options(space.features(all));
  groups_.clear();
  for (const auto& group : options_.groups.empty()
                               ? workload_groups()
                               : std::span<const WorkloadGroup>(options_.groups)) {
    if (group.batches != batches_of(all)) continue;
    if (!options_.kind || group.kind == *options_.kind) groups_.push_back(group);
  }
  if (fitted_.size() == references_.size() && space == space_) return;
  space_ = space;
  fitted_.clear();
  for (const auto& reference : references_) fitted_.emplace_back(reference, space_);
}

CandidateInput FewShotModel::input_at(std::span<const OperatingPoint> points) const {
  CandidateInput input;
  input.x = space_.features(points);
  for (const auto& reference : fitted_) {
    input.residuals.push_back(reference.residuals(points, input.x));
  }
  return input;
}

void FewShotModel::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("the predictor needs at least one sample");
  samples_.assign(samples.begin(), samples.end());
  const auto used = thin_evenly(samples, kMostSamples);
  const auto points = points_of(used);
  use_space(points);
  std::vector<Observation> part = used;
  if (used.size() > options_.exact_samples) {
    part.clear();
    const auto rows =
        spread_rows(space_.features(points), process_.length.array().exp(), kPart, options_.seed);
    for (const auto row : rows) part.push_back(used[row]);
  }
  summary_ = {};
  PartFit fit = fit_robustly(part, summary_.disturbed);
  time_ = std::move(fit.time);
  power_ = std::move(fit.power);
  const LogCosts logs = log_costs(used);
  least_log_time_ = logs.time.minCoeff(), most_log_time_ = logs.time.maxCoeff();
  least_log_power_ = logs.power.minCoeff(), most_log_power_ = logs.power.maxCoeff();
  if (part.size() < used.size()) {
    CandidateInput input = input_at(points);
    input.log_time = logs.time;
    time_.condition(input, logs.time);
    power_.condition(input, logs.power);
  }
  summary_.samples = used.size();
  summary_.part = part.size();
  for (std::size_t i = 0; i < time_.size(); ++i) {
    summary_.candidates.push_back({time_.name(i), time_.weight(i), power_.weight(i)});
  }
}

FewShotModel::PartFit FewShotModel::fit_of(std::span<const Observation> part) const {
  CandidateInput input = input_at(points_of(part));
  const LogCosts logs = log_costs(part);
  input.log_time = logs.time;
  const std::span<const WorkloadGroup> groups =
      tell_groups_apart(part, options_.space) ? groups_ : std::span<const WorkloadGroup>();
  PartFit fit;
  fit.time = CandidateSet(CandidateSet::Quantity::kTime, fitted_, groups, process_, 0);
  fit.time.fit(input, logs.time);
  const LogCosts none{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  fit.power = CandidateSet(CandidateSet::Quantity::kPower, fitted_, groups, process_,
                           fit.time.top(std::vector<LogCosts>(fitted_.size(), none)));
  fit.power.fit(input, logs.power);
  return fit;
}

double FewShotModel::disturbed_density(const PartFit& fit, const Observation& sample) const {
  CandidateInput input = input_at({&sample.point, 1});
  const LogCosts logs = log_costs({&sample, 1});
  input.log_time = logs.time;
  const auto density = [](const LogPrediction& expected, double value) {
    const double variance = expected.variance[0] + kDisturbance * kDisturbance;
    const double off = value - expected.mean[0];
    return -0.5 * (off * off / variance + std::log(variance));
  };
  return density(fit.time.predict(input), logs.time[0]) +
         density(fit.power.predict(input), logs.power[0]);
}

FewShotModel::PartFit FewShotModel::fit_robustly(const std::vector<Observation>& part,
                                                 std::optional<std::size_t>& disturbed) const {
  PartFit all = fit_of(part);
  disturbed.reset();
  if (part.size() < kFewestDoubted || part.size() > kMostDoubted) return all;
  std::vector<PartFit> without(part.size());
  std::vector<double> odds(part.size());
  parallel_for(part.size(), [&](std::size_t i) {
    without[i] = fit_of(undisturbed({.candidates = {}, .disturbed = i}, part));
    odds[i] = without[i].evidence() + disturbed_density(without[i], part[i]) - all.evidence() +
              std::log(kDisturbedSets / static_cast<double>(part.size()));
  });
  const auto worst =
      static_cast<std::size_t>(std::max_element(odds.begin(), odds.end()) - odds.begin());
  if (odds[worst] < 0) return all;
  disturbed = worst;
  return std::move(without[worst]);
}

double FewShotModel::LogCostPrediction::power_variance(Eigen::Index row) const {
  const double s = power.time_sensitivity[row];
  return power.variance[row] + s * s * time.variance[row];
}

FewShotModel::LogCostPrediction FewShotModel::predict_logs(
    std::span<const OperatingPoint> points) const {
  if (samples_.empty())
    throw UsageError("the predictor must be fitted to samples before it predicts");
  CandidateInput input = input_at(points);
  LogPrediction time = time_.predict(input);
  // Limits times to a factor of 50 beyond all observed times, and powers to a factor of 5.
  time.mean =
      time.mean.cwiseMax(least_log_time_ - std::log(50)).cwiseMin(most_log_time_ + std::log(50));
  input.log_time = time.mean;
  LogPrediction power = power_.predict(input);
  power.mean =
      power.mean.cwiseMax(least_log_power_ - std::log(5)).cwiseMin(most_log_power_ + std::log(5));
  time.variance *= time_.variance_factor();
  power.variance *= power_.variance_factor();
  return {std::move(time), std::move(power)};
}

std::vector<Prediction> FewShotModel::predict(std::span<const OperatingPoint> points,
                                              double interval) const {
  if (!(interval > 0 && interval < 1)) {
    throw UsageError("the probability of an interval must be between 0 and 1");
  }
  // The points of a block share the neighborhoods of many samples.
  const std::size_t block = summary_.part < summary_.samples ? kPointsAtOnce : kPointsOfFew;
  std::vector<Prediction> result(points.size());
  parallel_for((points.size() + block - 1) / block, [&](std::size_t i) {
    const auto some = points.subspan(i * block, std::min(block, points.size() - i * block));
    predict_block(some, interval, std::span(result).subspan(i * block, some.size()));
  });
  return result;
}

void FewShotModel::predict_block(std::span<const OperatingPoint> points, double interval,
                                 std::span<Prediction> result) const {
  const LogCostPrediction logs = predict_logs(points);
  const double z = normal_quantile(0.5 + interval / 2);
  const auto estimate = [z](double mean, double variance) {
    const double half = std::min(z * std::sqrt(variance), 4.0);
    return Estimate{std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
  };
  const double log_energy_ratio = std::log(energy_ratio(samples_));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double s = logs.power.time_sensitivity[row];
    result[i].time_s = estimate(logs.time.mean[row], logs.time.variance[row]);
    result[i].power_w = estimate(logs.power.mean[row], logs.power_variance(row));
    result[i].energy_j =
        estimate(logs.time.mean[row] + logs.power.mean[row] + log_energy_ratio,
                 logs.power.variance[row] + (1 + s) * (1 + s) * logs.time.variance[row]);
  }
}

void AutoOptions::check() const {
  require_option(exact_samples >= 1, "AutoOptions::exact_samples", exact_samples, "1 or more");
}

AutoPredictor::AutoPredictor(AutoOptions options) {
  options.check();
  model_ = std::make_unique<FewShotModel>(std::move(options));
}
AutoPredictor::~AutoPredictor() = default;
AutoPredictor::AutoPredictor(AutoPredictor&&) noexcept = default;
AutoPredictor& AutoPredictor::operator=(AutoPredictor&&) noexcept = default;
void AutoPredictor::add_reference(Reference reference) {
  model_->add(std::move(reference));
}
void AutoPredictor::fit(std::span<const Observation> samples) {
  model_->fit(samples);
}
std::vector<Prediction> AutoPredictor::predict(std::span<const OperatingPoint> points,
                                               double interval) const {
  return model_->predict(points, interval);
}
const AutoSummary& AutoPredictor::summary() const {
  return model_->summary();
}
std::vector<std::size_t> AutoPredictor::suggest(std::span<const OperatingPoint> candidates,
                                                std::size_t count) {
  return model_->suggest(candidates, count);
}
std::vector<std::size_t> AutoPredictor::suggest_for_budgets(
    std::span<const OperatingPoint> candidates, std::size_t count,
    const PowerBudgets& budgets) const {
  return model_->suggest_for_budgets(candidates, count, budgets);
}

std::vector<Observation> undisturbed(const AutoSummary& summary,
                                     std::span<const Observation> samples) {
  std::vector<Observation> rest(samples.begin(), samples.end());
  if (summary.disturbed) {
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*summary.disturbed));
  }
  return rest;
}

std::optional<std::string> disturbed_remark(const AutoPredictor& predictor,
                                            std::span<const Observation> samples) {
  if (!predictor.summary().disturbed) return std::nullopt;
  const Observation& sample = samples[*predictor.summary().disturbed];
  const Prediction expected = predictor.predict({&sample.point, 1}).front();
  return fmt::format(
      "the profile of {} is not used: its time differs by {:+.0f} % and its power by {:+.0f} % "
      "from the prediction of the others; profile it again (profile --again every)",
      describe(sample.point.mode), 100 * (sample.time_s / expected.time_s.mean - 1),
      100 * (sample.power_w / expected.power_w.mean - 1));
}

}  // namespace ridgewatt::predict
