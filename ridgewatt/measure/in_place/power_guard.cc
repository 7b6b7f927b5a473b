#include "ridgewatt/measure/in_place/power_guard.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::measure {
namespace {

// Multiples of the limit, and the share of average_s over which the mean power must stay below.
constexpr double kAbove[][2] = {{1, 1}, {1.02, 0.5}, {1.04, 0.2}};
constexpr double kFarAboveLimit = 1.08;  // multiple of the limit at which one sample is enough
constexpr double kSilentS = 1;           // longer gaps between samples count only for this time
constexpr double kRememberS = 2;         // shortest history of samples

}  // namespace

double PowerGuard::mean_w(double since_s) const {
  double sum_w = 0;
  int count = 0;
  for (auto at = recent_.rbegin(); at != recent_.rend() && at->time_s > since_s; ++at) {
    sum_w += at->power_w;
    ++count;
  }
  return count > 0 ? sum_w / count : 0;
}

void PowerGuard::add(const TimedPower& sample) {
  const double step_s =
      recent_.empty() ? 0 : std::min(sample.time_s - recent_.back().time_s, kSilentS);
  recent_.push_back(sample);
  while (recent_.size() > 2 &&
         recent_[1].time_s < sample.time_s - std::max(average_s_, kRememberS)) {
    recent_.pop_front();
  }
  const auto above = excess();
  if (!above) {
    current_s_ = 0;
    return;
  }
  const double more_s = current_s_ > 0 ? step_s : std::max(step_s, above->window_s);
  over_s_ += more_s;
  current_s_ += more_s;
  longest_s_ = std::max(longest_s_, current_s_);
  worst_excess_ = std::max(worst_excess_, above->power_w / limit_w_ - 1);
}

std::optional<PowerGuard::Excess> PowerGuard::excess() const {
  if (!std::isfinite(limit_w_) || recent_.empty()) return std::nullopt;
  const double now_s = recent_.back().time_s, known_s = now_s - since_s_;
  Excess found;
  const auto compare = [&](double power_w, double factor, double window_s) {
    if (power_w <= factor * limit_w_) return;
    found.power_w = std::max(found.power_w, power_w);
    found.window_s = std::max(found.window_s, window_s);
  };
  if (known_s > 0) compare(recent_.back().power_w, kFarAboveLimit, 0);
  for (const auto& [factor, share] : kAbove) {
    const double window_s = share * average_s_;
    if (known_s >= window_s)
      compare(mean_w(std::max(since_s_, now_s - window_s)), factor, window_s);
  }
  return found.power_w > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace ridgewatt::measure
