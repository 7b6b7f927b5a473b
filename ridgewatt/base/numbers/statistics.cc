#include "ridgewatt/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt {
namespace {

void require_values(std::span<const double> values) {
  if (values.empty()) throw UsageError("statistics need at least one value");
}

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

// The regularized incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22), with
// forward evaluation (Thompson and Barnett 1986, after Lentz).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast for smaller x.
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const auto away_from_zero = [](double v) { return std::abs(v) < 1e-300 ? 1e-300 : v; };
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double c = 1;
  double fraction = d;
  for (int m = 1; m <= 10000; ++m) {
    const double a2m = a + 2 * m;
    double step = 1;
    for (const double term :
         {m * (b - m) * x / ((a2m - 1) * a2m), -(a + m) * (a + b + m) * x / (a2m * (a2m + 1))}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (std::abs(step - 1) < 1e-15) break;
  }
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_front) * fraction / a;
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
  // Uses selection instead of sorting: the quality check computes many medians of long vectors.
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
  if (predicted.size() != actual.size())
    throw UsageError("the numbers of predicted and true values differ");
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

double expected_improvement(double mean, double deviation, double best) {
  const double z = (best - mean) / deviation;
  if (z < -6) return 0;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return deviation * (z * normal_cdf(z) + density);
}

double normal_quantile(double p) {
  if (!(p > 0 && p < 1))
    throw UsageError("the probability of a normal quantile must be between 0 and 1");
  // Bisection on the distribution function: exact up to rounding. It is rarely called.
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200 && high - low > 1e-15 * std::max(1.0, std::abs(low)); ++i) {
    const double middle = 0.5 * (low + high);
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double student_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1))
    throw UsageError("the probability of a t quantile must be between 0 and 1");
  if (!(degrees > 0)) throw UsageError("the degrees of freedom of a t quantile must be positive");
  if (p < 0.5) return -student_quantile(1 - p, degrees);
  const auto upper_tail = [&](double t) {
    return 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  };
  double low = 0;
  double high = 1;
  while (upper_tail(high) > 1 - p && high < 1e150) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (upper_tail(middle) > 1 - p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double student_cdf(double t, double degrees) {
  if (!(degrees > 0))
    throw UsageError("the degrees of freedom of a t distribution must be positive");
  const double tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t < 0 ? tail : 1 - tail;
}

MeanInterval student_interval(std::span<const double> values) {
  MeanInterval interval;
  interval.count = static_cast<int>(values.size());
  if (values.empty()) return interval;
  interval.mean = mean(values);
  double half = std::numeric_limits<double>::infinity();
  if (values.size() > 1) {
    half = student_quantile(0.975, interval.count - 1) * standard_deviation(values) /
           std::sqrt(static_cast<double>(interval.count));
  }
  interval.lo = interval.mean - half;
  interval.hi = interval.mean + half;
  return interval;
}

}  // namespace ridgewatt
