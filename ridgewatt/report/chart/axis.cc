#include "ridgewatt/report/chart/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

std::vector<Tick> linear_ticks(double lo, double hi, int wanted) {
  const double raw = (hi - lo) / std::max(1, wanted);
  const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (raw <= factor * magnitude * 1.0001) {
      step = factor * magnitude;
      break;
    }
  }
  std::vector<Tick> ticks;
  const auto first = static_cast<long>(std::ceil(lo / step - 1e-9));
  for (long i = first; static_cast<double>(i) * step <= hi + 1e-9 * step && ticks.size() < 100;
       ++i) {
    const double value = static_cast<double>(i) * step;
    ticks.push_back({value, tick_label(i == 0 ? 0.0 : value)});
  }
  return ticks;
}

// Selects the ticks with labels: the parts of a decade (all, 1-2-5, 1-3 or powers of ten), in every
// n-th decade.
struct LogStyle {
  std::string_view parts;
  int stride;
};

std::vector<Tick> styled_log_ticks(double lo, double hi, const LogStyle& style) {
  const int first = static_cast<int>(std::floor(std::log10(lo)));
  const int last = static_cast<int>(std::ceil(std::log10(hi)));
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (int part = 1; part < 10; ++part) {
      const double value = part * std::pow(10.0, decade);
      if (value < lo * 0.9999 || value > hi * 1.0001) continue;
      const bool labeled =
          decade % style.stride == 0 &&
          style.parts.find(static_cast<char>('0' + part)) != std::string_view::npos;
      if (labeled)
        ticks.push_back({value, tick_label(value)});
      else if (last - first <= 8)
        ticks.push_back({value, ""});
    }
  }
  return ticks;
}

int labels_in(const std::vector<Tick>& ticks) {
  return static_cast<int>(std::count_if(ticks.begin(), ticks.end(),
                                        [](const auto& tick) { return !tick.label.empty(); }));
}

// Uses the densest style with at most max(3, wanted) labels. An axis over less than a factor of 3,
// or with fewer than three labels, gets evenly spaced numbers like a linear axis.
std::vector<Tick> log_ticks(double lo, double hi, int wanted) {
  std::vector<Tick> ticks;
  for (const LogStyle& style :
       {LogStyle{"123456789", 1}, LogStyle{"125", 1}, LogStyle{"13", 1}, LogStyle{"1", 1},
        LogStyle{"1", 2}, LogStyle{"1", 3}, LogStyle{"1", 5}, LogStyle{"1", 10}, LogStyle{"1", 30},
        LogStyle{"1", 100}}) {
    ticks = styled_log_ticks(lo, hi, style);
    if (labels_in(ticks) <= std::max(3, wanted)) break;
  }
  return hi / lo < 3 || labels_in(ticks) < 3 ? linear_ticks(lo, hi, wanted) : ticks;
}

}  // namespace

Scale::Scale(double lo, double hi, bool log, double from, double to)
    : lo_(lo), hi_(hi), log_(log), from_(from), to_(to) {
  if (log_) lo_ = std::max(lo_, 1e-300);
  if (hi_ <= lo_) {
    hi_ = log_ ? lo_ * 10 : lo_ + std::max(1.0, std::abs(lo_));
  }
}

double Scale::pixel(double value) const {
  const double position =
      log_ ? std::log(value / lo_) / std::log(hi_ / lo_) : (value - lo_) / (hi_ - lo_);
  return from_ + position * (to_ - from_);
}

bool Scale::accepts(double value) const {
  return std::isfinite(value) && (!log_ || value > 0);
}

std::vector<Tick> Scale::apart(int wanted, double size, bool vertical) const {
  std::vector<Tick> all;
  for (; wanted >= 1; --wanted) {
    all = ticks(wanted);
    bool touch = false;
    double end = -std::numeric_limits<double>::infinity();
    std::sort(all.begin(), all.end(),
              [&](const auto& a, const auto& b) { return pixel(a.value) < pixel(b.value); });
    for (auto& tick : all) {
      if (tick.label.empty()) continue;
      const double half = vertical ? 0.7 * size : text_width(tick.label, size) / 2 + 0.5 * size;
      const double begin = pixel(tick.value) - half;
      if (begin < end) {
        touch = true;
        if (wanted == 1) tick.label.clear();  // last resort
      }
      if (!tick.label.empty()) end = pixel(tick.value) + half;
    }
    if (!touch) break;
  }
  return all;
}

std::vector<Tick> Scale::ticks(int wanted) const {
  return log_ ? log_ticks(lo_, hi_, wanted) : linear_ticks(lo_, hi_, wanted);
}

Range padded_range(std::span<const double> values, bool log) {
  bool any = false;
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    range.lo = any ? std::min(range.lo, value) : value;
    range.hi = any ? std::max(range.hi, value) : value;
    any = true;
  }
  if (!any) return log ? Range{1, 10} : Range{0, 1};
  if (log) {
    const double room = std::pow(range.hi / range.lo, 0.04) * (range.hi == range.lo ? 2 : 1);
    return {range.lo / room, range.hi * room};
  }
  const double room = range.hi == range.lo ? std::max(1e-12, std::abs(range.hi) * 0.5)
                                           : 0.04 * (range.hi - range.lo);
  // If the data begin at or just above 0, the axis begins at 0.
  return {range.lo >= 0 && range.lo < room ? 0.0 : range.lo - room, range.hi + room};
}

std::string tick_label(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e6 || (magnitude > 0 && magnitude < 1e-3)) return fmt::format("{:.3g}", value);
  return fmt::format("{:g}", value);
}

}  // namespace ridgewatt::report
