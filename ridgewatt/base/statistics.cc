#include "ridgewatt/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

void require_values(std::span<const double> values) {
  if (values.empty()) throw UsageError("statistics of no values");
}

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

double mean(std::span<const double> values) {
  require_values(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double q) {
  require_values(values);
  // Selection instead of a sort: the data-quality check takes many medians of long vectors.
  std::vector<double> copy(values.begin(), values.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(copy.size() - 1);
  const auto below = copy.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(copy.begin(), below, copy.end());
  const auto above = below + 1 < copy.end() ? std::min_element(below + 1, copy.end()) : below;
  return std::lerp(*below, *above, position - std::floor(position));
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return 1.4826 * median(deviations);
}

double mean_absolute_percentage_error(std::span<const double> predicted,
                                      std::span<const double> actual) {
  require_values(predicted);
  if (predicted.size() != actual.size()) throw UsageError("sizes of prediction and truth differ");
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) sum += std::abs(predicted[i] / actual[i] - 1);
  return sum / static_cast<double>(predicted.size());
}

Interval bootstrap_interval(std::span<const double> values,
                            const std::function<double(std::span<const double>)>& statistic,
                            double confidence, std::uint64_t seed, int resamples) {
  require_values(values);
  Random random(seed);
  std::vector<double> draw(values.size());
  std::vector<double> results;
  results.reserve(static_cast<std::size_t>(resamples));
  for (int i = 0; i < resamples; ++i) {
    for (auto& value : draw) value = values[random.below(values.size())];
    results.push_back(statistic(draw));
  }
  std::sort(results.begin(), results.end());
  const double tail = (1 - confidence) / 2;
  return {sorted_quantile(results, tail), sorted_quantile(results, 1 - tail)};
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) throw UsageError("normal quantile outside (0, 1)");
  // Bisection on the distribution function: exact to rounding, and rarely called.
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200 && high - low > 1e-15 * std::max(1.0, std::abs(low)); ++i) {
    const double middle = 0.5 * (low + high);
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace ridgewatt
