#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/few_shot/few_shot_model.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kDesignCandidates = 700, kDesignTargets = 250;
// The first samples determine the parameters of the structure; the others spread over the space.
constexpr std::size_t kByVariance = 12;
constexpr double kSpreadLength = 0.5;  // factor on the process's lengths
// Weak: the price only decides between points of about the same value.
constexpr double kPriceExponent = 0.05, kSpreadPriceExponent = 0.02;

// A subset with the corners of the space and an even share of the points between them.
std::vector<std::size_t> thin_points(const FeatureMatrix& x, std::size_t count, double start) {
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
  // A golden-ratio sequence visits the points evenly.
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(static_cast<std::size_t>(
        std::fmod(start + static_cast<double>(i) * 0.6180339887498949, 1.0) *
        static_cast<double>(size)));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<std::size_t> FewShotModel::suggest(std::span<const OperatingPoint> candidates,
                                               std::size_t count) {
  if (candidates.empty()) throw UsageError("there are no operating points to choose from");
  if (samples_.empty()) {
    use_space(candidates);
    time_ = CandidateSet(CandidateSet::Quantity::kTime, fitted_, groups_, process_, 0);
    power_ = CandidateSet(CandidateSet::Quantity::kPower, fitted_, groups_, process_, 0);
    time_.use_prior();
    power_.use_prior();
  }
  const FeatureMatrix all = space_.features(candidates);
  const double start = options_.design_seed == 0 ? 0 : Random(options_.design_seed).uniform(0, 1);
  const std::size_t looked_at = std::max(kDesignCandidates, 2 * count);
  auto chosen = thin_points(all, looked_at, start);
  const std::vector<bool> known = sampled(candidates);
  if (std::all_of(chosen.begin(), chosen.end(), [&](std::size_t row) { return known[row]; })) {
    std::vector<std::size_t> open;
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (!known[row]) open.push_back(row);
    }
    if (open.empty()) return {};
    chosen = thin_evenly<std::size_t>(open, looked_at);
  }
  const auto subset = [&](const std::vector<std::size_t>& rows) {
    std::vector<OperatingPoint> points;
    for (const auto row : rows) points.push_back(candidates[row]);
    return points;
  };
  const auto points = subset(chosen);
  CandidateInput from = input_at(points);
  from.log_time = time_.predict(from).mean;
  const Eigen::VectorXd price = from.log_time.array().exp();
  std::vector<bool> excluded;
  for (const auto row : chosen) excluded.push_back(known[row]);
  std::vector<std::size_t> next;
  if (samples_.size() < kByVariance) {
    CandidateInput to = input_at(subset(thin_points(all, kDesignTargets, start)));
    to.log_time = time_.predict(to).mean;
    std::vector<DesignQuantity> quantities;
    for (const CandidateSet* quantity : {&time_, &power_}) {
      quantities.push_back({quantity->covariance(from, to), quantity->covariance(from, from),
                            quantity->noise_variance()});
    }
    next = choose_design(std::move(quantities), price, kPriceExponent, excluded,
                         std::min(count, kByVariance - samples_.size()));
  }
  if (next.size() < count) {
    std::vector<OperatingPoint> taken = points_of(samples_);
    for (const auto index : next) taken.push_back(points[index]), excluded[index] = true;
    const Eigen::Matrix<double, kFeatures, 1> lengths =
        kSpreadLength * process_.length.array().exp();
    const auto spread = choose_spread(from.x, space_.features(taken), lengths, price,
                                      kSpreadPriceExponent, excluded, count - next.size());
    next.insert(next.end(), spread.begin(), spread.end());
  }
  for (auto& index : next) index = chosen[index];
  return next;
}

std::vector<bool> FewShotModel::sampled(std::span<const OperatingPoint> points) const {
  auto known = points_of(samples_);
  std::sort(known.begin(), known.end());
  std::vector<bool> result;
  for (const auto& point : points) {
    result.push_back(std::binary_search(known.begin(), known.end(), point));
  }
  return result;
}

std::vector<std::size_t> FewShotModel::suggest_for_budgets(
    std::span<const OperatingPoint> candidates, std::size_t count,
    const PowerBudgets& budgets) const {
  if (candidates.empty()) throw UsageError("there are no operating points to choose from");
  const std::vector<double> budgets_w = budgets.values_w();
  std::vector<bool> excluded = sampled(candidates);
  // The known samples, and the predicted values of the chosen modes. Limits the number of samples
  // so that there is space for the predicted values.
  std::vector<Observation> known = samples_;
  const std::size_t room = std::min(count, options_.exact_samples / 2);
  std::vector<Observation> learned =
      thin_evenly<Observation>(samples_, options_.exact_samples - room);
  FewShotModel believer = *this;
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    const LogCostPrediction logs = believer.predict_logs(candidates);
    CostBeliefs beliefs{logs.time.mean, logs.time.variance.cwiseSqrt(), logs.power.mean,
                        logs.power.variance};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      beliefs.log_time[row] -= std::log(std::max(candidates[i].batch, 1));
      beliefs.power_deviation[row] = std::sqrt(logs.power_variance(row));
    }
    const auto next = choose_for_budgets(beliefs, budgets_w, mean_by_point(known), excluded);
    if (!next) break;
    chosen.push_back(*next);
    excluded[*next] = true;
    if (chosen.size() == count) break;
    const auto row = static_cast<Eigen::Index>(*next);
    const Observation belief{candidates[*next], std::exp(logs.time.mean[row]),
                             std::exp(logs.power.mean[row])};
    known.push_back(belief);
    learned.push_back(belief);
    believer.fit(learned);
  }
  return chosen;
}

}  // namespace ridgewatt::predict
