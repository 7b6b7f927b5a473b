// Statistics of small vectors. Functions of values throw UsageError for an empty input, except
// student_interval().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace ridgewatt {

double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // divides by n - 1; 0 for one value
double median(std::span<const double> values);
// Interpolates linearly between order statistics (type 7 of Hyndman and Fan); 0 <= q <= 1.
double quantile(std::span<const double> values, double q);
// Returns 1.4826 x median |x - median|, which estimates the standard deviation of normal data.
double median_absolute_deviation(std::span<const double> values);

// Returns the mean of |predicted / actual - 1| as a fraction. Sizes must be equal, `actual` not 0.
double mean_absolute_percentage_error(std::span<const double> predicted,
                                      std::span<const double> actual);

struct Interval {
  double lo = 0;
  double hi = 0;
};

// Returns the percentile bootstrap interval of `statistic` with coverage `confidence`.
Interval bootstrap_interval(std::span<const double> values,
                            const std::function<double(std::span<const double>)>& statistic,
                            double confidence = 0.95, std::uint64_t seed = 1, int resamples = 1000);

// A mean with its 95 % interval. The interval of a single value is infinite.
struct MeanInterval {
  double mean = 0;
  double lo = 0;
  double hi = 0;
  int count = 0;
};
// Returns Student's interval, which is exact for normal values. Without values, `count` is 0.
MeanInterval student_interval(std::span<const double> values);

// The 95 % quantile of the standard normal distribution. 90 % of the values are within this number
// of standard deviations.
inline constexpr double kNormal95 = 1.6448536269514722;
// Quantile and distribution function of the standard normal distribution.
double normal_quantile(double p);
double normal_cdf(double z);
// Returns the expected improvement E[max(best - x, 0)] of a normal x; 0 if the mean is six
// deviations above `best`.
double expected_improvement(double mean, double deviation, double best);
// Quantile of Student's t distribution. `degrees` of freedom may be fractional.
double student_quantile(double p, double degrees);
// Distribution function of Student's t distribution.
double student_cdf(double t, double degrees);

}  // namespace ridgewatt

#pragma GCC visibility pop
