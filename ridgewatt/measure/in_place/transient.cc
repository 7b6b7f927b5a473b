#include "ridgewatt/measure/in_place/transient.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridgewatt::measure {

std::size_t transient_length(std::span<const double> values) {
  const std::size_t count = values.size();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  // Sums over all suffixes, from the end. Values are relative to the last one.
  double sum = 0, square = 0;
  for (std::size_t d = count; d-- > 0;) {
    const double value = values[d] - values[count - 1];
    sum += value;
    square += value * value;
    const auto left = static_cast<double>(count - d);
    const double error = (square - sum * sum / left) / (left * left);
    if (2 * d <= count && error <= least) least = error, best = d;
  }
  return best;
}

std::optional<double> change_point(std::span<const TimedPower> samples, double least) {
  constexpr std::size_t kLeastSide = 3;
  constexpr double kDeviations = 4;
  const std::size_t count = samples.size();
  if (count < 2 * kLeastSide) return std::nullopt;
  double total = 0, square = 0;
  for (const auto& sample : samples) {
    total += sample.power_w;
    square += sample.power_w * sample.power_w;
  }
  double before = 0, best_before = 0, gain = 0;
  std::size_t split = 0;
  for (std::size_t i = 1; i + kLeastSide <= count; ++i) {
    before += samples[i - 1].power_w;
    if (i < kLeastSide) continue;
    const auto left = static_cast<double>(i), right = static_cast<double>(count - i);
    const double off = before / left - (total - before) / right;
    const double found = off * off * left * right / (left + right);
    if (found > gain) gain = found, split = i, best_before = before;
  }
  if (split == 0) return std::nullopt;
  const double first_w = best_before / static_cast<double>(split);
  const double second_w = (total - best_before) / static_cast<double>(count - split);
  const double rest = square - total * total / static_cast<double>(count) - gain;
  const double deviation_w = std::sqrt(std::max(rest, 0.0) / static_cast<double>(count - 2));
  const double step_w = std::abs(second_w - first_w);
  if (step_w < least * first_w || step_w < kDeviations * deviation_w) return std::nullopt;
  return (samples[split - 1].time_s + samples[split].time_s) / 2;
}

// Solves (change - begin) / old + (end - change) / new = count for `change`.
std::optional<double> pace_change(double begin_s, double end_s, std::size_t count, double old_s,
                                  double new_s, double spread) {
  constexpr double kLeastRatio = 0.15;
  constexpr double kMostError = 0.5;  // share of the slower minibatch
  const double slope = 1 / old_s - 1 / new_s;
  if (!(old_s > 0 && new_s > 0) || std::abs(new_s / old_s - 1) < kLeastRatio) return std::nullopt;
  const auto work = static_cast<double>(count);
  const double error_s = spread * std::sqrt(work) / std::abs(slope);
  if (error_s > kMostError * std::max(old_s, new_s)) return std::nullopt;
  const double change_s = (work - end_s / new_s + begin_s / old_s) / slope;
  return std::clamp(change_s, begin_s, end_s);
}

}  // namespace ridgewatt::measure
