#include "ridgewatt/thermal/fit/trace_rows.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::thermal {
namespace {

constexpr double kUsualLeakage = 0.0015;
constexpr double kFineS = 30;  // for this time after a jump of power, every row is kept
constexpr double kJumpShare = 0.1, kJumpW = 0.5;
constexpr double kIdleWindowS = 30;

// Joins rows: the means of power and fan over time, and the temperature of the last row.
HeatTrace::Row joined(const HeatRows& rows, std::size_t begin, std::size_t end) {
  HeatTrace::Row row = rows[end - 1];
  if (begin == 0) return row;
  const double from_s = rows[begin - 1].time_s;
  double power = 0, fan = 0, last_s = from_s;
  for (std::size_t i = begin; i < end; ++i) {
    const double time_s = rows[i].time_s - last_s;
    power += rows[i].power_w * time_s;
    fan += rows[i].fan * time_s;
    row.throttled = row.throttled || rows[i].throttled;
    last_s = rows[i].time_s;
  }
  row.power_w = power / (last_s - from_s);
  row.fan = fan / (last_s - from_s);
  return row;
}

}  // namespace

HeatRows thinned_rows(const HeatTrace& trace, std::size_t most) {
  const auto& rows = trace.rows;
  if (rows.size() <= most) return rows;
  const auto thin = [&](double coarse_s, bool by_jumps) {
    HeatRows result = {rows.front()};
    std::size_t begin = 1;
    double jump_s = -1e300, level_w = rows.front().power_w;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const double off_w = std::abs(rows[i].power_w - level_w);
      if (by_jumps && off_w > kJumpShare * level_w + kJumpW) {
        jump_s = rows[i].time_s;
        level_w = rows[i].power_w;
        if (i > begin) result.push_back(joined(rows, begin, i)), begin = i;
      }
      level_w += 0.05 * (rows[i].power_w - level_w);
      const bool fine = rows[i].time_s - jump_s < kFineS;
      if (fine || rows[i].time_s - rows[begin - 1].time_s >= coarse_s) {
        result.push_back(joined(rows, begin, i + 1));
        begin = i + 1;
      }
    }
    return result;
  };
  const double coarse_s = 2 * trace.duration_s() / static_cast<double>(most);
  auto result = thin(coarse_s, true);
  return result.size() <= most ? result : thin(coarse_s, false);
}

double rounding_step_k(const HeatRows& rows) {
  for (const double step : {1.0, 0.5}) {
    std::size_t on = 0;
    for (const auto& row : rows) {
      const double steps = row.celsius / step;
      on += std::abs(steps - std::round(steps)) < 0.02;
    }
    if (on > 0.95 * static_cast<double>(rows.size())) return step;
  }
  return 0;
}

double mean_fan(const HeatRows& rows) {
  double sum = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    sum += rows[i].fan * (rows[i].time_s - rows[i - 1].time_s);
  }
  return sum / (rows.back().time_s - rows.front().time_s);
}

double least_mean_power_w(const HeatRows& rows) {
  double least_w = 0, sum = 0;
  std::size_t begin = 0;
  bool found = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    sum += rows[i].power_w * (rows[i].time_s - rows[i - 1].time_s);
    while (begin + 1 < i && rows[i].time_s - rows[begin + 1].time_s >= kIdleWindowS) {
      sum -= rows[begin + 1].power_w * (rows[begin + 1].time_s - rows[begin].time_s);
      ++begin;
    }
    const double window_s = rows[i].time_s - rows[begin].time_s;
    if (window_s < kIdleWindowS && i + 1 < rows.size()) continue;
    const double here_w = sum / window_s;
    if (!found || here_w < least_w) least_w = here_w, found = true;
  }
  return least_w;
}

Leakage fit_leakage(const HeatRows& rows) {
  double top = 0, bottom = 0, left = 0;
  std::size_t count = 0, levels = 0;
  std::size_t begin = 1;
  const auto stretch = [&](std::size_t end) {
    if (end < begin + 20) return;
    double mean_p = 0, mean_t = 0, low = rows[begin].celsius, high = low;
    const auto n = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      mean_p += rows[i].power_w / n;
      mean_t += rows[i].celsius / n;
      low = std::min(low, rows[i].celsius);
      high = std::max(high, rows[i].celsius);
    }
    if (high - low < 3 || mean_p <= 0) return;
    double along = 0, spread = 0, square = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double p = rows[i].power_w / mean_p - 1, t = rows[i].celsius - mean_t;
      along += p * t, spread += t * t, square += p * p;
    }
    // dP/P per K at the mean of the stretch, then converted to 50 C to first order.
    const double slope = along / spread;
    const double at_reference = slope / (1 - slope * (mean_t - kPowerCelsius));
    top += at_reference * spread;
    bottom += spread;
    left += square - slope * along;
    count += end - begin, ++levels;
  };
  double level_w = rows.front().power_w;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].throttled || std::abs(rows[i].power_w - level_w) > kJumpShare * level_w + kJumpW) {
      stretch(i);
      begin = i + 1;
      level_w = rows[i].power_w;
    }
    level_w += 0.05 * (rows[i].power_w - level_w);
  }
  stretch(rows.size());
  if (bottom <= 0 || count < 2 * levels + 10) return {kUsualLeakage, 0};
  const double sd = std::sqrt(left / static_cast<double>(count - levels - 1) / bottom) + 1e-5;
  // The prior is the usual leakage, 0.0015 +- 0.001 per K.
  const double w = 1 / (sd * sd), prior_w = 1e6;
  return {std::clamp((w * top / bottom + prior_w * kUsualLeakage) / (w + prior_w), 0.0, 0.02),
          1 / std::sqrt(w + prior_w)};
}

}  // namespace ridgewatt::thermal
