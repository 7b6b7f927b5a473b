// Robust and plain statistics on small vectors. All throw UsageError on an empty input.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace ridgewatt {

double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // n - 1; 0 for one value
double median(std::span<const double> values);
// Linear interpolation between order statistics (Hyndman and Fan's type 7); 0 <= q <= 1.
double quantile(std::span<const double> values, double q);
// 1.4826 x median |x - median|: estimates the standard deviation of normal data.
double median_absolute_deviation(std::span<const double> values);

// Mean of |predicted / actual - 1|, as a fraction (0.05 is 5 %). Sizes equal, actual non-zero.
double mean_absolute_percentage_error(std::span<const double> predicted,
                                      std::span<const double> actual);

struct Interval {
  double lo = 0;
  double hi = 0;
};

// Percentile bootstrap interval of `statistic` at `confidence` (for example 0.95).
Interval bootstrap_interval(std::span<const double> values,
                            const std::function<double(std::span<const double>)>& statistic,
                            double confidence = 0.95, std::uint64_t seed = 1, int resamples = 1000);

// A mean with its 95 % interval. With one value the interval is infinite.
struct MeanInterval {
  double mean = 0;
  double lo = 0;
  double hi = 0;
  int count = 0;
};
// Student's interval: exact for normal values, however few. Of no values: count 0, no throw.
MeanInterval student_interval(std::span<const double> values);

// The 95 % quantile of the standard normal distribution: 90 % lie within this number of deviations.
inline constexpr double kNormal95 = 1.6448536269514722;
// Quantile of the standard normal distribution, and its distribution function.
double normal_quantile(double p);
double normal_cdf(double z);
// E[max(best - x, 0)] of a normal x, the expected improvement; 0 where x lies six deviations above.
double expected_improvement(double mean, double deviation, double best);
// Quantile of Student's t distribution; `degrees` of freedom need not be whole.
double student_quantile(double p, double degrees);
// Its distribution function.
double student_cdf(double t, double degrees);

}  // namespace ridgewatt

#pragma GCC visibility pop
